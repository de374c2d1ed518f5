import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'

import type { Answer } from './memory.ts'
import type { Workspaces } from './port.ts'

/** Simulated results of commands, for workspaces without processes; real ones run the commands. */
export type MakeWorkspaces = (answers: Record<string, Answer>) => Promise<Workspaces>

const limits = { timeoutMs: 10_000, maxOutputBytes: 1_000 }
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The behaviour of every implementation of `Workspaces`. */
export function workspacesContract(name: string, make: MakeWorkspaces, { box = false } = {}): void {
  describe(`${name} workspaces`, () => {
    const prepared = async (answers: Record<string, Answer> = {}) => {
      const workspaces = await make(answers)
      return { workspaces, workspace: await workspaces.prepare({ id: 'brf_1', runId: 'run_1', box }) }
    }

    it('reads a written file back, with its size and hash', async () => {
      const { workspace } = await prepared()
      await workspace.write('deep/er/poem.txt', 'Flüsse\n')
      expect(await workspace.read('deep/er/poem.txt', 1_000)).toEqual({
        bytes: 8,
        sha256: sha256('Flüsse\n'),
        text: 'Flüsse\n',
      })
      expect(await workspace.read('./deep//er/poem.txt', 1_000)).toMatchObject({ text: 'Flüsse\n' })
    })

    it('cuts the text, but hashes and counts the whole file', async () => {
      const { workspace } = await prepared()
      const whole = 'ü'.repeat(500_000)
      await workspace.write('long.txt', whole)
      const file = await workspace.read('long.txt', 5)
      expect(file).toEqual({ bytes: 1_000_000, sha256: sha256(whole), text: 'üü' })
    })

    it('truncates a longer file when it overwrites it', async () => {
      const { workspace } = await prepared()
      await workspace.write('a.txt', 'a long text')
      await workspace.write('a.txt', 'short')
      expect(await workspace.read('a.txt', 100)).toMatchObject({ text: 'short' })
    })

    it('reads an empty file as empty, and a missing file as null', async () => {
      const { workspace } = await prepared()
      await workspace.write('empty', '')
      expect(await workspace.read('empty', 100)).toEqual({ bytes: 0, sha256: sha256(''), text: '' })
      expect(await workspace.read('missing', 100)).toBeNull()
    })

    it.each(['../outside', 'a/../../outside', '/etc/passwd', 'a\0b', '', '.', '..'])(
      'neither reads nor writes %j',
      async (path) => {
        const { workspace } = await prepared()
        expect(await workspace.read(path, 100)).toBeNull()
        await expect(workspace.write(path, 'x')).rejects.toMatchObject({ code: 'invalid_input' })
      },
    )

    it('gives every brief its own files, and a second attempt the files of the first', async () => {
      const { workspaces, workspace } = await prepared()
      await workspace.write('poem.txt', 'mine')
      const other = await workspaces.prepare({ id: 'brf_2', runId: 'run_1' })
      expect(await other.read('poem.txt', 100)).toBeNull()
      const again = await workspaces.prepare({ id: 'brf_1', runId: 'run_1', box })
      expect(again.path).toBe(workspace.path)
      expect(await again.read('poem.txt', 100)).toMatchObject({ text: 'mine' })
    })

    it('empties the outbox for a new attempt', async () => {
      const { workspaces, workspace } = await prepared()
      await workspace.write('.agency/outbox/report.json', '{}')
      await workspace.write('.agency/notes.md', 'kept')
      const again = await workspaces.prepare({ id: 'brf_1', runId: 'run_1', box })
      expect(await again.read('.agency/outbox/report.json', 100)).toBeNull()
      expect(await again.read('.agency/notes.md', 100)).toMatchObject({ text: 'kept' })
    })

    it.each(['..', '.', 'a/b', '', 'a\0'])('refuses %j as the name of a run', async (runId) => {
      const workspaces = await make({})
      await expect(workspaces.prepare({ id: 'brf_1', runId })).rejects.toMatchObject({ code: 'bug' })
    })

    it('runs a command in the directory of its files', async () => {
      const { workspace } = await prepared({
        'cat poem.txt': (files) => ({ exitCode: 0, output: files.get('poem.txt') ?? '' }),
      })
      await workspace.write('poem.txt', 'a river')
      const result = await workspace.run('cat poem.txt', limits)
      expect(result).toMatchObject({ exitCode: 0, signal: null, timedOut: false, output: 'a river', boxed: box })
      expect(result.outputSha256).toBe(sha256('a river'))
      expect(result.durationMs).toBeGreaterThanOrEqual(0)
    })

    it('returns exit code 127 for a command that does not exist', async () => {
      const { workspace } = await prepared()
      expect(await workspace.run('no-such-command-here', limits)).toMatchObject({ exitCode: 127 })
    })

    it('cuts the output, but hashes all of it', async () => {
      const command = 'head -c 100000 /dev/zero | tr "\\0" x'
      const { workspace } = await prepared({ [command]: () => ({ exitCode: 0, output: 'x'.repeat(100_000) }) })
      const result = await workspace.run(command, { timeoutMs: 10_000, maxOutputBytes: 10 })
      expect(result.output).toBe('xxxxxxxxxx')
      expect(result.outputSha256).toBe(sha256('x'.repeat(100_000)))
    })
  })
}
