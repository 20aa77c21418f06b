//! Flags that shape a cluster, shared by the commands that make one.

use crate::error::CliError;
use crate::workload::ClusterSpec;

/// Servers of a cluster.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterArgs {
    /// GPUs of the cluster [default: 128]
    #[arg(long, value_name = "GPUS")]
    gpus: Option<u32>,
    /// Servers of the cluster, instead of --gpus
    #[arg(long, value_name = "N", conflicts_with = "gpus")]
    servers: Option<u32>,
    /// GPUs of a server [default: 8]
    #[arg(long, value_name = "GPUS")]
    gpus_per_server: Option<u32>,
    /// CPUs per GPU, the CPU:GPU ratio [default: 3]
    #[arg(long, value_name = "CPUS", allow_negative_numbers = true)]
    cpus_per_gpu: Option<f64>,
    /// Memory of a server in GB [default: 62.5 per GPU]
    #[arg(long, value_name = "GB", allow_negative_numbers = true)]
    memory_gb: Option<f64>,
}

impl ClusterArgs {
    /// Puts the flags over what `cluster` says.
    ///
    /// # Errors
    /// More servers than can be counted.
    pub fn apply(&self, cluster: &mut ClusterSpec) -> Result<(), CliError> {
        let shaped = self.gpus.is_some() || self.servers.is_some() || self.gpus_per_server.is_some();
        if shaped || self.cpus_per_gpu.is_some() || self.memory_gb.is_some() {
            cluster.groups.clear();
        }
        cluster.gpus_per_server = self.gpus_per_server.unwrap_or(cluster.gpus_per_server);
        cluster.gpus = self.gpus.unwrap_or(cluster.gpus);
        if let Some(servers) = self.servers {
            cluster.gpus = servers.checked_mul(cluster.gpus_per_server).ok_or_else(|| {
                CliError::Usage(format!("--servers {servers}: too many GPUs in all; give fewer servers"))
            })?;
        }
        cluster.cpus_per_gpu = self.cpus_per_gpu.unwrap_or(cluster.cpus_per_gpu);
        if let Some(memory_gb) = self.memory_gb {
            cluster.memory_gb_per_gpu = memory_gb / f64::from(cluster.gpus_per_server.max(1));
        }
        Ok(())
    }
}
