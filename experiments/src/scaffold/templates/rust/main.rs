//! `synergy` with the mechanism `{{name}}` in it.

mod mechanism;

fn main() -> std::process::ExitCode {
    if let Err(error) = mechanism::register() {
        eprintln!("error: {error}");
        return std::process::ExitCode::FAILURE;
    }
    synergy_experiments::commands::main()
}
