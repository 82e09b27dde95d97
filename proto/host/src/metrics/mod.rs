//! Figures for a monitoring system: the text format of Prometheus, over plain HTTP.

mod http;
mod page;

pub use http::{Source, serve_metrics};
pub use page::Page;
