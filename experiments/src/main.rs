//! The command `synergy`.

fn main() -> std::process::ExitCode {
    synergy_experiments::commands::main()
}
