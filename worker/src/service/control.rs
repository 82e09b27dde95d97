//! The control service.

use std::sync::Arc;
use std::time::Duration;

use sokohive_proto::wire::{self, worker_control_server::WorkerControl};
use sokohive_proto::{AskEnds, Fence, OpenLevel, Poll, Prepare, Refusal, Report, Restore};
use tokio::time::{Instant, timeout_at};
use tonic::{Request, Response, Status};
use tracing::{debug, info};

use super::{Node, span};
use crate::foundry::Foundry;
use crate::protocol::{Preparation, Released};
use crate::shard::Shard;

/// Longest time to hold back an answer, whatever the caller asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Serves the coordinator.
pub(crate) struct Control<F: Foundry>(pub(crate) Arc<Node<F>>);

impl<F: Foundry> Control<F> {
    /// A report, held back until there is something worth it.
    async fn report(
        &self,
        fence: Fence,
        told: Option<u32>,
        wait: Duration,
    ) -> Result<Report, Refusal> {
        let Self(node) = self;
        let until = Instant::now() + wait.min(LONGEST_WAIT);
        let mut changes = node.changes();
        loop {
            changes.borrow_and_update();
            let report = node.protocol().report(node.now(), fence)?;
            if is_news(&report, told) || timeout_at(until, changes.changed()).await.is_err() {
                return Ok(report);
            }
            node.open()?;
        }
    }

    async fn prepare(&self, prepare: Prepare) -> Result<bool, Refusal> {
        let Self(node) = self;
        let until = Instant::now() + prepare.wait.min(LONGEST_WAIT);
        let mut changes = node.changes();
        loop {
            changes.borrow_and_update();
            let preparation = node.protocol().prepare(node.now(), prepare.clone())?;
            match preparation {
                Preparation::Ready => return Ok(true),
                Preparation::UnderWay => {}
                Preparation::LayOut { layout, stop } => {
                    span::of_job(prepare.fence).in_scope(|| info!("called"));
                    node.lay_out(*layout, stop);
                }
            }
            if timeout_at(until, changes.changed()).await.is_err() {
                return Ok(false);
            }
            node.open()?;
        }
    }
}

/// Whether a report tells more than that work goes on.
fn is_news(report: &Report, told: Option<u32>) -> bool {
    let better = |cost| told.is_none_or(|told| cost < told);
    report.idle
        || report.memory_exhausted
        || report.leaving
        || report.fault.is_some()
        || report.best.is_some_and(|best| better(best.cost))
}

#[tonic::async_trait]
impl<F: Foundry> WorkerControl for Control<F> {
    async fn hello(
        &self,
        request: Request<wire::HelloRequest>,
    ) -> Result<Response<wire::HelloResponse>, Status> {
        self.0.open()?;
        let request = request.into_inner();
        let mut hello = self.0.protocol().hello(request.protocol)?;
        let segments = request.segments().map_err(Refusal::from)?;
        if !segments.is_empty() {
            let node = Arc::clone(&self.0);
            let present = tokio::task::spawn_blocking(move || node.foundry.present(&segments))
                .await
                .map_err(|error| Status::internal(format!("looking for segments: {error}")))?;
            hello.present =
                (0..).zip(present).filter_map(|(index, there)| there.then_some(index)).collect();
        }
        Ok(Response::new(hello.into()))
    }

    async fn prepare(
        &self,
        request: Request<wire::PrepareRequest>,
    ) -> Result<Response<wire::PrepareResponse>, Status> {
        self.0.open()?;
        let prepare = Prepare::try_from(request.into_inner()).map_err(Refusal::from)?;
        let ready = Self::prepare(self, prepare).await?;
        Ok(Response::new(wire::PrepareResponse { ready }))
    }

    async fn open_level(
        &self,
        request: Request<wire::OpenLevelRequest>,
    ) -> Result<Response<wire::Report>, Status> {
        self.0.open()?;
        let open = OpenLevel::try_from(request.into_inner()).map_err(Refusal::from)?;
        let (fence, level, incumbent, wait) = (open.fence, open.level, open.incumbent, open.wait);
        let chores = self.0.protocol().open_level(self.0.now(), open)?;
        span::of_level(fence, level)
            .in_scope(|| debug!(f = level.f, side = ?level.side, "level opened"));
        self.0.see_to(fence, chores);
        let report = self.report(fence, incumbent, wait).await?;
        Ok(Response::new(report.into()))
    }

    async fn restore(
        &self,
        request: Request<wire::RestoreRequest>,
    ) -> Result<Response<wire::Report>, Status> {
        self.0.open()?;
        let restore = Restore::try_from(request.into_inner()).map_err(Refusal::from)?;
        let (fence, incumbent, wait) = (restore.fence, restore.incumbent, restore.wait);
        let segments = restore.segments.len();
        span::of_job(fence).in_scope(|| info!("{segments} segments to read"));
        self.0.protocol().restore(self.0.now(), restore)?;
        let report = self.report(fence, incumbent, wait).await?;
        Ok(Response::new(report.into()))
    }

    async fn poll(
        &self,
        request: Request<wire::PollRequest>,
    ) -> Result<Response<wire::Report>, Status> {
        self.0.open()?;
        let poll = Poll::try_from(request.into_inner()).map_err(Refusal::from)?;
        let (fence, incumbent, wait) = (poll.fence, poll.incumbent, poll.wait);
        let chores = self.0.protocol().poll(self.0.now(), poll)?;
        self.0.see_to(fence, chores);
        let report = self.report(fence, incumbent, wait).await?;
        Ok(Response::new(report.into()))
    }

    async fn rows(
        &self,
        request: Request<wire::RowsRequest>,
    ) -> Result<Response<wire::RowsResponse>, Status> {
        self.0.open()?;
        let (fence, ranks) = request.into_inner().parts().map_err(Refusal::from)?;
        let shard = self.0.protocol().shard(self.0.now(), fence)?;
        let rows = tokio::task::spawn_blocking(move || shard.rows(&ranks))
            .await
            .map_err(|error| Status::internal(format!("reading rows: {error}")))?;
        Ok(Response::new(wire::RowsResponse { rows: rows.into_iter().map(Into::into).collect() }))
    }

    async fn ends(
        &self,
        request: Request<wire::EndsRequest>,
    ) -> Result<Response<wire::EndsResponse>, Status> {
        self.0.open()?;
        let ask = AskEnds::try_from(request.into_inner()).map_err(Refusal::from)?;
        let AskEnds { fence, cost, after } = ask;
        let shard = self.0.protocol().shard(self.0.now(), fence)?;
        let ends = tokio::task::spawn_blocking(move || shard.ends(cost, after))
            .await
            .map_err(|error| Status::internal(format!("reading ends: {error}")))?;
        Ok(Response::new(wire::EndsResponse::new(ends)))
    }

    async fn release(
        &self,
        request: Request<wire::ReleaseRequest>,
    ) -> Result<Response<wire::ReleaseResponse>, Status> {
        let (fence, discard) = request.into_inner().parts().map_err(Refusal::from)?;
        let Released { shard, discard } = self.0.protocol().release(fence, discard)?;
        if shard.is_some() {
            span::of_job(fence).in_scope(|| info!("released"));
        }
        if shard.is_some() || discard {
            let node = Arc::clone(&self.0);
            // Answer only when the memory is free: the next job may be about to take it.
            let stopped = tokio::task::spawn_blocking(move || {
                if let Some(shard) = shard {
                    shard.stop();
                }
                if discard {
                    node.foundry.discard(fence.job, None, &[]);
                }
            });
            let _ = tokio::time::timeout(LONGEST_WAIT, stopped).await;
        }
        self.0.has_changed();
        Ok(Response::new(wire::ReleaseResponse {}))
    }
}
