import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it, onTestFinished } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import { createContext } from '../../cli/context.ts'
import { buildProgram } from '../../cli/program.ts'
import { startDaemon } from '../../daemon/start.ts'
import { talentRoot } from '../../entries.ts'

async function open() {
  const env = { AGENCY_HOME: join(freshFolder(), 'home'), PATH: process.env['PATH'], AGENCY_PORT: '0' }
  const daemon = await startDaemon({ env, web: null })
  onTestFinished(() => daemon.stop())
  /** Runs a command line in this process; returns what it prints. */
  const agency = async (...words: string[]): Promise<string> => {
    let printed = ''
    const context = {
      ...createContext(env),
      out: (line: string) => void (printed += `${line}\n`),
      text: (text: string) => void (printed += text),
      json: (value: unknown) => void (printed += JSON.stringify(value)),
    }
    await buildProgram(context, () => {}, words[0]).parseAsync(words, { from: 'user' })
    return printed
  }
  const json = async <Answer>(...words: string[]): Promise<Answer> =>
    JSON.parse(await agency(...words, '--json')) as Answer
  return { agency, json, home: env.AGENCY_HOME }
}

interface Listed {
  agents: { agent_id: number; attempt_id: string; brief_id: string; state: string }[]
}

const linesOf = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)
const headed = (title: string, text: string): string => {
  const sha256 = createHash('sha256').update(text).digest('hex')
  return `══ ${title}, ${Buffer.byteLength(text)} bytes, sha256 ${sha256} ══\n${linesOf(text)}`
}

it('"agency agent show --prompt" prints all that an agent was sent, with the text of its personality file', async () => {
  const { agency, home, json } = await open()
  const run = await json<{ id: string }>('run', 'Say hello', '--playbook', 'tiered', '--runtime', 'scripted')
  const findAgent = async () => {
    const { agents } = await json<Listed>('agent', 'list', '--run', run.id)
    return agents.find(({ state }) => state === 'closed')
  }
  await expect.poll(findAgent, { timeout: 20_000 }).toBeDefined()
  const { agent_id: id, attempt_id: attempt, brief_id: brief } = (await findAgent()) as Listed['agents'][number]
  const number = String(id)
  expect(await agency('agent', 'show', number)).toContain(`agent ${number}`)

  const stored = (file: string): string => readFileSync(join(home, 'attempts', attempt, file), 'utf8')
  const [system, prompt] = [stored('system-prompt.md'), stored('prompt.md')]
  expect(await agency('agent', 'show', number, '--prompt')).toBe(
    `${headed('System prompt', system)}\n${headed('Prompt', prompt)}`,
  )
  expect(await json('agent', 'show', number, '--prompt')).toMatchObject({
    system_prompt: { text: system, changed: false },
    prompt: { text: prompt, changed: false },
  })

  const shown = await json<{ brief: { agent_personality: string } }>('inspect', run.id, '--brief', brief)
  const personality = readFileSync(join(talentRoot(), 'agents', shown.brief.agent_personality), 'utf8')
  expect(system).toContain(personality.replace(/^---\n[\s\S]*?\n---\n/, '').trim())
  expect(system).toContain('The goal that everything serves: Say hello')
})
