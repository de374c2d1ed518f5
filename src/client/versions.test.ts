import { describe, expect, it } from 'vitest'

import { AgencyError } from '../kernel/errors.ts'
import { get, post } from '../operations/endpoint.ts'
import { ApiError } from '../operations/problem.ts'
import { createVersions, type Versions } from './versions.ts'

function versionsOf(daemon: string | null): Versions {
  const versions = createVersions({
    own: '1.0.0+aaaa',
    recorded: () => '0.9.0',
    complete: async (_, answer) =>
      'runs' in (answer as object) ? { answer: { next: null, ...(answer as object) } } : null,
  })
  versions.note({ status: 200, headers: new Map(daemon === null ? [] : [['agency-version', daemon]]) })
  return versions
}

describe('the versions of a command and of its daemon', () => {
  it('agree before the first answer and with the same build', () => {
    expect(createVersions({ own: '1.0.0', recorded: () => null, complete: async () => null }).difference()).toBeNull()
    expect(versionsOf('1.0.0+aaaa').difference()).toBeNull()
  })

  it.each([
    ['1.0.0+bbbb', 'the daemon is version 1.0.0 (build bbbb), this command is version 1.0.0 (build aaaa)'],
    [null, 'the daemon is version 0.9.0 (an earlier build), this command is version 1.0.0 (build aaaa)'],
  ])('differ from %s in one sentence that names both', (daemon, message) => {
    expect(versionsOf(daemon).difference()?.message).toBe(message)
  })
})

describe('an answer of another version', () => {
  it('is the completed one', async () => {
    expect(await versionsOf('0.9.0').read(get('/runs'), { runs: [] })).toEqual({ runs: [], next: null })
  })

  it('is refused if it cannot be completed', async () => {
    const refused = versionsOf('0.9.0').read(get('/runs'), { pages: [] })
    await expect(refused).rejects.toThrow(/^the daemon is version 0\.9\.0, this command/)
  })

  it('tells of a change that it was made', async () => {
    const refused = versionsOf('0.9.0').read(post('/runs'), { pages: [] })
    await expect(refused).rejects.toThrow('the change was made, but the answer cannot be shown: the daemon is')
  })

  it('is left alone if the versions agree', async () => {
    expect(await versionsOf('1.0.0+aaaa').read(get('/runs'), { pages: [] })).toEqual({ pages: [] })
  })
})

describe('an error beside another version', () => {
  const problem = (code: string, message: string, status: number, hint?: string): ApiError =>
    new ApiError({ code, message, exit: 1, ...(hint === undefined ? {} : { hint }) }, status)

  it('is the difference if the daemon does not know the operation', () => {
    for (const error of [
      problem('not_found', 'there is no such operation', 404, 'GET /api/openapi.json lists them.'),
      problem('unsupported', 'PATCH is not supported at this path', 405),
      new TypeError('Cannot read properties of undefined'),
    ])
      expect(versionsOf('0.9.0').explain(error)).toBeInstanceOf(AgencyError)
  })

  it('keeps the words about rejected input and names the difference beside them', () => {
    const explained = versionsOf('0.9.0').explain(problem('invalid_input', 'Unrecognized key: "owner"', 400))
    expect(explained).toMatchObject({
      message: 'Unrecognized key: "owner"',
      problem: { hint: expect.stringMatching(/^The daemon is version 0\.9\.0, .*"agency up"/) as string },
    })
  })

  it('is left alone if it has another cause, or if the versions agree', () => {
    const missing = problem('not_found', 'no run "x"', 404)
    expect(versionsOf('0.9.0').explain(missing)).toBe(missing)
    const bug = new TypeError('Cannot read properties of undefined')
    expect(versionsOf('1.0.0+aaaa').explain(bug)).toBe(bug)
  })
})
