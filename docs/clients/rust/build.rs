//! Compiles the protocol without protoc.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = protox::compile(["sparrowhall/env/v1/env.proto"], ["../../../proto"])?;
    Ok(tonic_prost_build::configure().build_server(false).compile_fds(files)?)
}
