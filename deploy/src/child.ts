// Loaded before each process of the fleet (`--import`): when the launcher is gone, however it went, the process drains too.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
