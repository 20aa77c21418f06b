//! What the footer of every table says about where it comes from.

/// Version of the tables' schema. Raised whenever the meaning, type, name or order of a column changes.
pub const SCHEMA_VERSION: &str = "synergy-tables/1";

/// Key of the schema version in the footer.
pub(super) const VERSION_KEY: &str = "synergy.schema";

/// Key-value pairs in a Parquet file's footer (`#` lines at the head of a CSV file).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    pub(super) entries: Vec<(String, String)>,
}

impl Metadata {
    /// The resolved configuration (TOML or JSON text), the master seed where there is one, and which
    /// program, solver and commit produced the numbers.
    pub fn new(resolved_config: &str, seed: Option<u64>) -> Self {
        let mut entries = vec![
            (VERSION_KEY.to_string(), SCHEMA_VERSION.to_string()),
            ("synergy.version".to_string(), env!("CARGO_PKG_VERSION").to_string()),
            ("synergy.highs".to_string(), highs_version()),
            ("synergy.config".to_string(), resolved_config.to_string()),
        ];
        if let Some(commit) = git_commit() {
            entries.push(("synergy.commit".to_string(), commit.to_string()));
        }
        if let Some(seed) = seed {
            entries.push(("synergy.seed".to_string(), seed.to_string()));
        }
        Metadata { entries }
    }

    /// The value under `key`, such as `synergy.config`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }
}

/// Commit that the program was built from, with `-dirty` when the tree had changes; `None` outside a
/// git checkout.
pub fn git_commit() -> Option<&'static str> {
    option_env!("SYNERGY_GIT_COMMIT").filter(|commit| !commit.is_empty())
}

/// Version of the HiGHS library that is linked in.
pub fn highs_version() -> String {
    synergy_solver::lp::highs::version()
}
