"""Programs that `worker` runs in MXNet."""
