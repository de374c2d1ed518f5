import type { FileTask } from './step-builders.ts'

const simulated = 'Simulated: it represents the work of a real agent.'

const file = (id: string, title: string, path: string, proof: string, more: string = '', after?: string): FileTask => ({
  id,
  title,
  path,
  proof,
  text: `${commented(path, `${title}. ${simulated}`)}\n${proof}${more}\n`,
  ...(after === undefined ? {} : { after }),
})

const commented = (path: string, text: string): string =>
  path.endsWith('.ts')
    ? `// ${text}`
    : path.endsWith('.sql')
      ? `-- ${text}`
      : path.endsWith('.md')
        ? `<!-- ${text} -->`
        : `# ${text}`

export const queueClient = file(
  'queue-client',
  'Client of the queue',
  'src/queue.ts',
  'export async function publish',
  '(event: unknown): Promise<void> {\n  if (event === undefined) throw new Error("nothing to publish")\n}',
)

/** The file after a verifier has found that it retries without end. */
export const fixedQueueClient: FileTask = {
  ...queueClient,
  text: `${queueClient.text}\n/** After this many tries the sender gets an error. */\nexport const maxTries = 5\n`,
}

export const apiTasks: readonly FileTask[] = [
  file('webhook-endpoint', 'Endpoint that accepts events', 'src/webhooks.ts', 'export async function receive', '() {}'),
  file(
    'signature-check',
    'Check of the signature',
    'src/signature.ts',
    'export function isSigned',
    '() {\n  return true\n}',
  ),
  file('auth-middleware', 'Authentication of senders', 'src/auth.ts', 'export function authenticate', '() {}'),
  queueClient,
]

export const dbTasks: readonly FileTask[] = [
  file('event-schema', 'Table of events', 'src/db/schema.sql', 'CREATE TABLE events', ' (id TEXT PRIMARY KEY);'),
  file(
    'event-store',
    'Writes and reads events',
    'src/db/store.ts',
    'export async function keep',
    '() {}',
    'event-schema',
  ),
  file(
    'event-replay',
    'Sends stored events again',
    'src/db/replay.ts',
    'export async function replay',
    '() {}',
    'event-store',
  ),
]

export const infraTasks: readonly FileTask[] = [
  file('container', 'Image of the service', 'deploy/Containerfile', 'FROM scratch'),
  file('compose', 'Service and queue together', 'deploy/compose.yaml', 'services:'),
  file('queue-config', 'Settings of the queue', 'deploy/queue.conf', 'max_deliver 5'),
  file('secrets', 'Source of the secrets', 'deploy/secrets.example', 'SIGNING_SECRET_FILE'),
  file('ci', 'Checks on every change', 'deploy/ci.yaml', 'jobs:'),
  file('alerts', 'Alert rules', 'deploy/alerts.yaml', 'alert: QueueIsFull'),
  file('dashboard', 'Monitoring dashboard', 'deploy/dashboard.yaml', 'panels:'),
  file('backup', 'Backup of the data', 'deploy/backup.sh', 'set -eu'),
]

export const docsTasks: readonly FileTask[] = [
  file('quickstart', 'The first event in five minutes', 'docs/quickstart.md', '# Quickstart'),
  file('api-reference', 'Every route and answer', 'docs/api.md', '# API'),
  file('signing', 'How a request is signed', 'docs/signing.md', '# Signing'),
  file('operations', 'Operating the service', 'docs/operations.md', '# Operations'),
  file('troubleshooting', 'Errors and their causes', 'docs/troubleshooting.md', '# Troubleshooting'),
  file('changelog', 'List of changes', 'docs/changelog.md', '# Changelog'),
]

export const limitTasks: readonly FileTask[] = [
  file('counter', 'Counts requests of a sender', 'src/limit.ts', 'export function allow', '() {\n  return true\n}'),
  file('answer', 'The answer above the limit', 'src/too-many.ts', 'export const tooMany', ' = 429', 'counter'),
  file('settings', 'The number of allowed requests', 'src/limits.yaml', 'per_minute: 60'),
  file(
    'limit-test',
    'Test of the limit',
    'src/limit.test.ts',
    'it(',
    '"rejects requests above the limit", () => {})',
    'counter',
  ),
]

export const fix = file('fix', 'Comparison in constant time', 'src/signature.ts', 'timingSafeEqual')
