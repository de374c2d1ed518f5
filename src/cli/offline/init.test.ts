import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import { createContext } from '../context.ts'
import { init } from './init.ts'
import { examineTeamFile } from './team.ts'

/** A machine without any coding agent. */
function machine() {
  const home = freshFolder()
  const out: string[] = []
  const err: string[] = []
  const context = {
    ...createContext({ AGENCY_HOME: home, PATH: '' }),
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    text: (text: string) => void out.push(text),
    json: (value: unknown) => void out.push(JSON.stringify(value)),
  }
  return { context, out, err, file: join(home, 'mine.yaml') }
}

describe('agency init', () => {
  it('writes a team that passes the check of doctor, and says that it is simulated', async () => {
    const { context, out, err, file } = machine()
    expect(await init(context, file, {})).toBe(0)
    expect(out).toEqual([
      `✓ wrote ${file}; its check found no fault`,
      `  agency run "<goal>" --playbook tiered --team ${file}`,
    ])
    expect(err[0]).toBe('warning: the agent "scripted" is simulated: it calls no model and does no work')
    expect(await examineTeamFile(context, { team: file })).toBe(0)
  })

  it('writes the choices of its options', async () => {
    const { context, out, file } = machine()
    const options = { agent: 'scripted', provider: 'anthropic', model: 'some-model', strict: true, json: true } as const
    expect(await init(context, file, options)).toBe(0)
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ file, agent: 'scripted', strict: true })
    expect(readFileSync(file, 'utf8')).toMatch(
      /strict_mode: true[^]*capable: \{ provider: "anthropic", model: "some-model" \}/,
    )
    expect(await examineTeamFile(context, { team: file })).toBe(0)
  })

  it('replaces a file only with --force', async () => {
    const { context, file } = machine()
    writeFileSync(file, 'mine')
    await expect(init(context, file, {})).rejects.toMatchObject({ code: 'conflict', message: /use --force/ })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await init(context, file, { force: true })).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toBe('mine')
  })

  it('writes nothing that its check refuses', async () => {
    const { context, err, file } = machine()
    expect(await init(context, file, { provider: 'no such provider', model: 'x' })).toBe(2)
    expect(err.join('\n')).toMatch(/is not the name of a provider/)
    expect(existsSync(file)).toBe(false)
  })
})
