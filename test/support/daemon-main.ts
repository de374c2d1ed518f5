import { startDaemon } from '../../src/daemon/start.ts'

/** Starts the daemon with a dashboard that a test has built: `daemon-main.ts <port> <web root>`. */
const [port, web] = process.argv.slice(2)
const daemon = await startDaemon({ env: process.env, flags: { port }, web: web ?? null })
process.on('SIGTERM', () => void daemon.stop())
await daemon.stopped
process.exit(0)
