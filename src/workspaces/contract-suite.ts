import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'

import { systemIds } from '../kernel/ids.ts'
import type { Answer } from './memory.ts'
import type { CheckoutRequest, Workspaces } from './port.ts'

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

    it('opens a workspace as its agent left it, with its outbox', async () => {
      const { workspaces, workspace } = await prepared()
      await workspace.write('.agency/outbox/report.json', '{}')
      await workspace.write('poem.txt', 'mine')
      const opened = await workspaces.open({ id: 'brf_1', runId: 'run_1', box })
      expect(opened.path).toBe(workspace.path)
      expect(await opened.read('.agency/outbox/report.json', 100)).toMatchObject({ text: '{}' })
      expect(await opened.read('poem.txt', 100)).toMatchObject({ text: 'mine' })
    })

    it('lays files of other workspaces in the inputs, in place of those of before', async () => {
      const { workspaces, workspace } = await prepared()
      await workspace.write('a/poem.txt', 'mine')
      await workspace.write('old.txt', 'old')
      const from = { id: 'brf_1', directory: null }
      const file = { from, folder: 'river', path: 'a/poem.txt', sha256: sha256('mine') }
      const request = { id: 'brf_2', runId: 'run_1', box }
      const other = await workspaces.prepare(request)
      const old = { from, folder: 'river', path: 'old.txt', sha256: sha256('old') }
      expect(await workspaces.lay(request, [old])).toEqual({ files: [{ ...old, bytes: 3 }] })
      await workspaces.prepare(request)
      expect(await other.read('.agency/inputs/river/old.txt', 10)).toBeNull()
      expect(await workspaces.lay(request, [file])).toEqual({ files: [{ ...file, bytes: 4 }] })
      expect(await other.read('.agency/inputs/river/a/poem.txt', 10)).toMatchObject({ text: 'mine' })
    })

    it.each([
      ['a file that was changed', { sha256: sha256('another') }, 'it was changed after its verdict'],
      ['a file that is missing', { path: 'none.txt' }, 'it no longer exists'],
      ['a name that leads out', { path: '../brf_1/poem.txt' }, 'its name leads outside the folder'],
      ['a name in Agency’s directory', { path: '.agency/poem.txt' }, 'its name leads outside the folder'],
      ['a folder that leads out', { folder: '..' }, 'its name leads outside the folder'],
    ])('lays nothing if it is to lay %s', async (_, change, why) => {
      const { workspaces, workspace } = await prepared()
      await workspace.write('poem.txt', 'mine')
      const good = { from: { id: 'brf_1', directory: null }, folder: 'river', path: 'poem.txt', sha256: sha256('mine') }
      const bad = { ...good, ...change }
      const other = await workspaces.prepare({ id: 'brf_2', runId: 'run_1', box })
      expect(await workspaces.lay({ id: 'brf_2', runId: 'run_1', box }, [good, bad])).toEqual({
        refused: `"${bad.path}" of ${bad.folder} cannot be handed over: ${why}`,
      })
      expect(await other.read('.agency/inputs/river/poem.txt', 10)).toBeNull()
    })

    it('refuses to open a workspace that does not exist', async () => {
      const { workspaces } = await prepared()
      await expect(workspaces.open({ id: 'brf_2', runId: 'run_1', box })).rejects.toMatchObject({ code: 'not_found' })
      await expect(workspaces.open({ id: 'brf_1', runId: 'run_2', box })).rejects.toMatchObject({ code: 'not_found' })
    })

    it('gives a verifier a copy of the files, which reaches nobody, and a HOME of its own', async () => {
      const { workspaces, workspace } = await prepared()
      await workspace.write('poem.txt', 'mine')
      await workspace.write('.agency/outbox/report.json', '{}')
      const request = { id: 'brf_2', runId: 'run_1', copyOf: { id: 'brf_1', directory: null }, box }
      const verifier = await workspaces.prepare(request)
      expect(await verifier.read('poem.txt', 100)).toMatchObject({ text: 'mine' })
      expect(await verifier.read('.agency/outbox/report.json', 100)).toBeNull()
      expect(verifier.path).not.toBe(workspace.path)
      expect(verifier.home).not.toBe(workspace.home)
      await verifier.write('poem.txt', 'mended')
      expect(await workspace.read('poem.txt', 100)).toMatchObject({ text: 'mine' })
      expect(await (await workspaces.prepare(request)).read('poem.txt', 100)).toMatchObject({ text: 'mended' })
      await workspaces.remove(request)
      expect(await (await workspaces.prepare(request)).read('poem.txt', 100)).toMatchObject({ text: 'mine' })
    })

    it('lists the files of a copy that were changed since it was made, but no new ones', async () => {
      const { workspaces, workspace } = await prepared()
      await workspace.write('poem.txt', 'mine')
      await workspace.write('deep/other.txt', 'other')
      await workspace.write('third.txt', 'third')
      const request = { id: 'brf_2', runId: 'run_1', copyOf: { id: 'brf_1', directory: null }, box }
      const verifier = await workspaces.prepare(request)
      expect(await workspaces.changedInCopy(request)).toEqual([])
      await verifier.write('new.txt', 'new')
      await verifier.write('third.txt', 'third')
      // Another brief may work in the place of the original meanwhile.
      await workspace.write('poem.txt', 'newer')
      expect(await workspaces.changedInCopy(request)).toEqual([])
      await verifier.write('deep/other.txt', 'mended')
      expect(await workspaces.changedInCopy(request)).toEqual(['deep/other.txt'])
      await workspaces.remove(request)
      await workspaces.prepare(request)
      expect(await workspaces.changedInCopy(request)).toEqual([])
    })

    it('gives no copy of a workspace that does not exist', async () => {
      const { workspaces } = await prepared()
      const request = { id: 'brf_2', runId: 'run_1', copyOf: { id: 'brf_9', directory: null }, box }
      await expect(workspaces.prepare(request)).rejects.toMatchObject({ code: 'not_found' })
      await expect(workspaces.open(request)).rejects.toMatchObject({ code: 'not_found' })
    })

    describe('a checkout of a workspace', () => {
      const copied = async (answers: Record<string, Answer> = {}) => {
        const { workspaces, workspace } = await prepared(answers)
        await workspace.write('deep/poem.txt', 'mine')
        await workspace.write('.agency/outbox/report.json', '{}')
        const source = { kind: 'workspace', workspace: { id: 'brf_1', runId: 'run_1' }, commit: null } as const
        // Processes are found by this id, also those of tests that run at the same time.
        const request: CheckoutRequest = { id: systemIds.next('attempt'), runId: 'run_1', box, source }
        return { workspaces, workspace, request, checkout: await workspaces.checkout(request) }
      }

      it('has its files, but neither its HOME nor the files of Agency', async () => {
        const { workspace, checkout } = await copied()
        expect(await checkout.read('deep/poem.txt', 100)).toMatchObject({ text: 'mine' })
        expect(await checkout.read('.agency/outbox/report.json', 100)).toBeNull()
        expect(checkout.path).not.toBe(workspace.path)
        expect(checkout.home).not.toBe(workspace.home)
        expect(checkout.boxed).toBe(box)
        expect(await checkout.setUp()).toBeNull()
      })

      it('shares no file with it', async () => {
        const { workspace, checkout } = await copied()
        await checkout.write('deep/poem.txt', 'changed by a check')
        await workspace.write('later.txt', 'written later')
        expect(await workspace.read('deep/poem.txt', 100)).toMatchObject({ text: 'mine' })
        expect(await checkout.read('later.txt', 100)).toBeNull()
      })

      it('runs commands on the copied files', async () => {
        const command = 'cat deep/poem.txt'
        const { checkout } = await copied({
          [command]: (files) => ({ exitCode: 0, output: files.get('deep/poem.txt') ?? '' }),
        })
        expect(await checkout.run(command, limits)).toMatchObject({ exitCode: 0, output: 'mine', boxed: box })
      })

      it('starts anew with every call, and is gone when it is removed', async () => {
        const { workspaces, workspace, request, checkout } = await copied()
        await checkout.write('left.txt', 'left by a check')
        await workspace.write('deep/poem.txt', 'better')
        const again = await workspaces.checkout(request)
        expect(await again.read('left.txt', 100)).toBeNull()
        expect(await again.read('deep/poem.txt', 100)).toMatchObject({ text: 'better' })
        await again.remove()
        expect(await again.read('deep/poem.txt', 100)).toBeNull()
        expect(await workspace.read('deep/poem.txt', 100)).toMatchObject({ text: 'better' })
      })

      it('is not made of a workspace that does not exist, or for a caller that has stopped waiting', async () => {
        const { workspaces, request } = await copied()
        const missing = { kind: 'workspace', workspace: { id: 'brf_9', runId: 'run_1' }, commit: null } as const
        await expect(workspaces.checkout({ ...request, source: missing })).rejects.toMatchObject({ code: 'not_found' })
        const signal = AbortSignal.abort(new Error('stopped'))
        await expect(workspaces.checkout({ ...request, signal })).rejects.toThrow('stopped')
      })

      it.each(['..', 'a/b', '', '.hidden'])('refuses %j as its name', async (id) => {
        const { workspaces, request } = await copied()
        await expect(workspaces.checkout({ ...request, id })).rejects.toMatchObject({ code: 'bug' })
      })
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

    it('cuts the output, but hashes and searches all of it and returns its end', async () => {
      const command = 'head -c 100000 /dev/zero | tr "\\0" x; echo; echo the end'
      const output = `${'x'.repeat(100_000)}\nthe end\n`
      const { workspace } = await prepared({ [command]: () => ({ exitCode: 0, output }) })
      const few = { timeoutMs: 10_000, maxOutputBytes: 10 }
      const result = await workspace.run(command, { ...few, searchFor: 'xx\nthe end' })
      expect(result).toMatchObject({ output: 'xxxxxxxxxx', cut: { bytes: 100_009 }, contains: true })
      expect(result.cut?.end).toMatch(/^x+\nthe end\n$/)
      expect(result.outputSha256).toBe(sha256(output))
      expect(await workspace.run(command, { ...few, searchFor: 'The end' })).toMatchObject({ contains: false })
    })

    it('marks no output as cut that is exactly as long as allowed', async () => {
      const { workspace } = await prepared({ 'printf 12345': () => ({ exitCode: 0, output: '12345' }) })
      const result = await workspace.run('printf 12345', { timeoutMs: 10_000, maxOutputBytes: 5 })
      expect(result).toMatchObject({ output: '12345' })
      expect(result.cut).toBeUndefined()
    })
  })
}
