//! Whatever is killed, and however often: in the end the answer is that of a plain search.

use sokohive::cluster::job::Ending;

use crate::seeds;

#[test]
fn answer_survives_any_kill() {
    seeds::check_durable("answer_survives_any_kill", |history| {
        let optimum = history.jobs[0].optimum;
        let Some((ending, walked)) = &history.survival.answer else {
            return Err(format!("no answer after {} attempts", history.jobs.len()));
        };
        let found = match ending {
            Ending::Optimal(finish) => Some(finish.cost),
            Ending::Unsolvable => None,
            other => return Err(format!("ended as {other:?}")),
        };
        if found != optimum {
            return Err(format!("{found:?}, expected {optimum:?}"));
        }
        match found {
            Some(cost) if *walked != Some(Ok(cost)) => {
                Err(format!("walked {walked:?}, not {cost}"))
            }
            _ => Ok(()),
        }
    });
}
