// @suite process

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

import { type Behaviour, reportOfSuite, runtimeContract } from '../contract-suite.ts'
import { isolation } from './environment.ts'
import { fakeClaude } from '../../../../test/support/fake-claude.ts'
import { createClaudeCodeRuntime } from './runtime.ts'

const folder = mkdtempSync(join(tmpdir(), 'agency-claude-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ids = '"session_id":"s","uuid":"u"'
const say = (text: string) =>
  `echo '{"type":"assistant",${ids},"message":{"content":[{"type":"text","text":"${text}"}]}}'`
const answer = JSON.stringify({ type: 'result', uuid: 'u', is_error: false, result: JSON.stringify(reportOfSuite) })
const report = JSON.stringify(reportOfSuite)
const garbage = String.raw`printf '\033[31mred\033[0m\n{"type":\n\377\376\303(\n\000nul\n\n   \nnull\n[1,\n\007bell\n{"status":1}\n{"type":"odd"}\n'`

const scripts: Record<Behaviour, string> = {
  'say one and two': `${say('one')}; ${say('two')}`,
  'exit with 3': 'exit 3',
  'die of SIGKILL': 'kill -9 $$',
  hang: 'exec sleep 3600',
  'say ready, then hang and ignore signals': `trap '' TERM; ${say('ready')}; sleep 3600`,
  'flood 100 MB of lines': 'yes | head -c 104857600',
  'flood 100 MB without a newline': 'head -c 104857600 /dev/zero | tr "\\0" x',
  'print garbage': garbage,
  'report by file': `echo '${report}' > .agency/outbox/report.json`,
  'report by standard output': `echo working; printf '%s\\n' '${answer}'`,
  'write invalid JSON into the outbox': `printf '{"status": nonsense' > .agency/outbox/report.json`,
  'print its environment': 'env',
  'leave a child behind and print its pid': 'sleep 3600 & echo $!',
  'leave a child behind that left the group and print its pid': 'setsid sleep 3600 & echo $!',
}

const binaries = Object.entries(scripts).map(([act, script], at): [string, Record<string, unknown>] => [
  act,
  { binary: fakeClaude(script, folder, `act-${at}`) },
])

runtimeContract('claude-code', () => ({
  runtime: createClaudeCodeRuntime({
    binary: fakeClaude('', folder),
    environment: { ANTHROPIC_API_KEY: 'sk-ant-dummy-0000', AGENCY_HOME: '/nowhere' },
    // Without a box it first reports that it is cautious; the suite expects only the agent's own text.
    defaultMode: 'cautious',
    graceMs: 300,
  }),
  options: Object.fromEntries(binaries) as Record<Behaviour, Record<string, unknown>>,
  hasProcess: true,
  names: [...Object.keys(isolation('')), 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_MAX_RETRIES'],
}))
