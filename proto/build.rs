//! Generates the wire types from `proto/sokohive/v1`, in Rust alone: nobody needs `protoc`.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let include = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("proto");
    println!("cargo::rerun-if-changed={}", include.display());
    let files = ["common", "worker_data", "worker_control", "coordinator", "checkpoint"]
        .map(|name| include.join(format!("sokohive/v1/{name}.proto")));
    let mut compiler = protox::Compiler::new([&include])?;
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(&files)?;
    let descriptors = PathBuf::from(env::var("OUT_DIR")?).join("sokohive.v1.bin");
    fs::write(descriptors, compiler.encode_file_descriptor_set())?;
    tonic_prost_build::configure().compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}
