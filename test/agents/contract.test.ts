import { afterAll } from 'vitest'

import { type Behaviour, reportOfSuite, runtimeContract } from '../../src/adapters/runtime/contract-suite.ts'
import { isolation } from '../../src/adapters/runtime/claude-code/environment.ts'
import { createClaudeCodeRuntime } from '../../src/adapters/runtime/claude-code/runtime.ts'
import { type Asked, type Reply, turns } from '../support/model-server/script.ts'
import { startModelServer } from '../support/model-server/server.ts'
import { claudeVariable } from './agents.setup.ts'
import { bash, write } from './replies.ts'

/** Replies with the result of the last tool. */
const echo = ({ toolResults }: Asked): Reply => ({ text: toolResults[0]?.text ?? '' })
const running =
  (command: string) =>
  (asked: Asked): Reply =>
    asked.step === 0 ? { tools: [bash(command)] } : echo(asked)

/**
 * Replies of the model that make Claude Code perform each act. Claude Code does not print floods or foreign output.
 */
const replies: Partial<Record<Behaviour, Reply | ((asked: Asked) => Reply)>> = {
  'say one and two': turns([{ text: 'one', tools: [bash('true')] }, { text: 'two' }]).reply,
  'die of SIGKILL': turns([{ tools: [bash('kill -9 $PPID')] }]).reply,
  hang: 'hang',
  'report by file': turns([{ tools: [write('.agency/outbox/report.json', JSON.stringify(reportOfSuite))] }]).reply,
  'report by standard output': { text: `Done.\n\n${JSON.stringify(reportOfSuite)}` },
  'write invalid JSON into the outbox': turns([{ tools: [write('.agency/outbox/report.json', '{"status": nonsense')] }])
    .reply,
  'print its environment': running('env'),
  'leave a child behind and print its pid': running('tail -f /dev/null > /dev/null 2>&1 & echo $!'),
  'leave a child behind that left the group and print its pid': running(
    'setsid tail -f /dev/null > /dev/null 2>&1 & echo $!',
  ),
}

const handedOver = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_MAX_RETRIES']
/** Variables that Claude Code adds to the environment of its programs. */
const itsOwn =
  'AI_AGENT CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_PROJECT_DIR CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_EXECPATH CLAUDE_PID CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_SESSION_ATTENDED CLAUDE_EFFORT COREPACK_ENABLE_AUTO_PIN NoDefaultCurrentDirectoryInExePath SHELL GIT_EDITOR LOGNAME'.split(
    ' ',
  )

const names = Object.keys(replies)
const model = await startModelServer(
  Object.values(replies).map((reply, at) => ({ when: (asked) => asked.model === `act-${at}`, reply })),
)
afterAll(() => model.stop())

runtimeContract('claude-code, the real one,', () => ({
  runtime: createClaudeCodeRuntime({
    binary: process.env[claudeVariable] ?? null,
    environment: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-dummy-0000' },
    // Without a box, the default mode would be lowered to cautious with a line of output.
    defaultMode: 'cautious',
  }),
  options: Object.fromEntries(names.map((act, at) => [act, { model: `act-${at}` }])),
  hasProcess: true,
  names: [...Object.keys(isolation('')), ...handedOver, ...itsOwn],
}))
