// @suite process

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { boxHere, createTestBox } from '../../test/support/box.ts'
import { commitFiles, createGitBench, plainGit, type Workplace, writeFiles } from '../../test/support/git-bench.ts'
import { defaultPolicy } from '../workspaces/policy.ts'
import { collect, type Collected, snapshot } from './collect.ts'

/** Clones in which an agent has done its worst. Beside each trick plain git falls for it, or it would prove nothing. */
const bench = createGitBench()
const { git, repository, folder, author } = bench

const kinds = [
  { kind: 'without a box', enclosed: async (at: Workplace): Promise<Workplace> => at },
  {
    kind: 'in the box',
    enclosed: async (at: Workplace): Promise<Workplace> => {
      const box = await createTestBox()
      const { path, home } = at.workspace
      const enter = box.enter({ path, home, readable: [at.mirror], policy: defaultPolicy('program') })
      return { ...at, workspace: { ...at.workspace, enter, boxed: true } }
    },
  },
]

const gather = ({ mirror, workspace, start }: Workplace, ref = 'brf_1'): Promise<Collected> =>
  collect(git, { mirror, workspace, start, message: 'What was left', author, ref })

/** A program that leaves a trace of having been run, wherever it was named. */
function trap(): { program: string; sprung: () => boolean } {
  const trace = folder('trace')
  const program = folder('trap')
  writeFileSync(program, `#!/bin/sh\ntouch ${trace}\nexit 0\n`, { mode: 0o755 })
  return { program, sprung: () => existsSync(trace) }
}

/** What plain git does with it; whether it succeeds is not the point. */
function attempt(cwd: string, ...args: string[]): void {
  try {
    plainGit(cwd, ...args)
  } catch {
    // It went wrong after the trap.
  }
}

describe.each(kinds)('$kind', ({ kind, enclosed }) => {
  const missing = kind === 'in the box' && !boxHere.ok

  describe.skipIf(missing)('nothing that a clone names is run', () => {
    const tricks: { name: string; set: (path: string, program: string) => void; control: string[] | null }[] = [
      {
        name: 'a monitor of files',
        set: (path, program) => plainGit(path, 'config', 'core.fsmonitor', program),
        control: ['status'],
      },
      {
        name: 'a hook in its place',
        set: (path, program) => {
          mkdirSync(join(path, '.git/hooks'))
          for (const hook of ['pre-commit', 'post-commit', 'post-index-change', 'reference-transaction'])
            cpSync(program, join(path, '.git/hooks', hook))
        },
        control: ['commit', '--allow-empty', '--message', 'x'],
      },
      {
        name: 'a hook elsewhere',
        set: (path, program) => {
          mkdirSync(join(path, 'tools'))
          cpSync(program, join(path, 'tools/reference-transaction'))
          plainGit(path, 'config', 'core.hooksPath', 'tools')
        },
        control: ['commit', '--allow-empty', '--message', 'x'],
      },
      {
        name: 'a filter',
        set: (path, program) => {
          writeFiles(path, { '.gitattributes': '* filter=trap\n' })
          plainGit(path, 'config', 'filter.trap.clean', program)
          plainGit(path, 'config', 'filter.trap.smudge', program)
        },
        control: ['add', '--all'],
      },
      {
        name: 'a filter that stays, by attributes that are in no commit',
        set: (path, program) => {
          writeFiles(path, { '.git/info/attributes': '* filter=trap\n' })
          plainGit(path, 'config', 'filter.trap.process', program)
          plainGit(path, 'config', 'filter.trap.required', 'true')
        },
        control: ['add', '--all'],
      },
      {
        name: 'what an included file says',
        set: (path, program) => {
          writeFiles(path, { '.git/more': `[core]\n\tfsmonitor = ${program}\n` })
          plainGit(path, 'config', 'include.path', 'more')
        },
        control: ['status'],
      },
      {
        name: 'helpers for transports, packs and signatures',
        set: (path, program) => {
          const keys = ['core.sshCommand', 'core.gitProxy', 'core.pager', 'core.editor', 'core.askPass', 'gpg.program']
          for (const key of [...keys, 'uploadpack.packObjectsHook', 'core.alternateRefsCommand'])
            plainGit(path, 'config', key, program)
          plainGit(path, 'config', 'commit.gpgSign', 'true')
        },
        control: ['commit', '--allow-empty', '--message', 'x'],
      },
    ]

    it.each(tricks)('$name', async ({ set, control }) => {
      const { program, sprung } = trap()
      const at = await bench.workplace()
      set(at.path, program)
      writeFiles(at.path, { 'a.txt': 'a\n' })
      expect(await gather(await enclosed(at))).toMatchObject({ outcome: 'collected' })
      expect(sprung()).toBe(false)
      writeFiles(at.path, { 'b.txt': 'b\n' })
      attempt(at.path, ...(control ?? []))
      expect(sprung()).toBe(true)
    })
  })

  describe.skipIf(missing)('what is collected is what is there', () => {
    it('though the index is told to look away', async () => {
      const at = await bench.workplace(repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' }))
      plainGit(at.path, 'update-index', '--assume-unchanged', 'a.txt')
      plainGit(at.path, 'update-index', '--skip-worktree', 'b.txt')
      writeFiles(at.path, { 'a.txt': 'A\n', 'b.txt': 'B\n' })
      expect(plainGit(at.path, 'status', '--porcelain')).toBe('')
      expect(await gather(await enclosed(at))).toMatchObject({ files: [{ path: 'a.txt' }, { path: 'b.txt' }] })
    })

    it('though a filter would commit something else', async () => {
      const at = await bench.workplace()
      plainGit(at.path, 'config', 'filter.lie.clean', 'echo harmless')
      writeFiles(at.path, { '.git/info/attributes': '* filter=lie\n', 'a.txt': 'harmful\n' })
      await gather(await enclosed(at))
      expect(plainGit(at.mirror, 'show', 'refs/agency/incoming/brf_1:a.txt')).toBe('harmful')
      expect(plainGit(at.path, 'hash-object', 'a.txt')).not.toBe(
        plainGit(at.mirror, 'rev-parse', 'refs/agency/incoming/brf_1:a.txt'),
      )
    })

    it('though a lock of a killed git lies in the way', async () => {
      const at = await bench.workplace()
      writeFiles(at.path, { '.git/index.lock': '', '.git/HEAD.lock': '', 'a.txt': 'a\n' })
      expect(() => plainGit(at.path, 'add', '--all')).toThrow('index.lock')
      expect(await gather(await enclosed(at))).toMatchObject({ outcome: 'collected' })
    })
  })

  // Looked at by ourselves, when it has come out: the same in a box and without.
  const isOurs = kind === 'in the box'

  describe.skipIf(isOurs)('a rewritten history is seen through', () => {
    it.each(['replaced', 'grafted', 'called shallow'])('where it is %s', async (how) => {
      const source = repository()
      commitFiles(source, { 'b.txt': 'b\n' })
      const at = await bench.workplace(source)
      const first = plainGit(at.path, 'rev-parse', 'HEAD~1')
      plainGit(at.path, 'reset', '--quiet', '--hard', first)
      const forged = commitFiles(at.path, { 'c.txt': 'c\n' })
      if (how === 'replaced') {
        const tree = plainGit(at.path, 'rev-parse', `${forged}^{tree}`)
        plainGit(at.path, 'replace', forged, plainGit(at.path, 'commit-tree', '-m', 'x', '-p', at.start, tree))
      } else if (how === 'grafted') writeFiles(at.path, { '.git/info/grafts': `${forged} ${at.start}\n` })
      else writeFiles(at.path, { '.git/shallow': `${forged}\n${first}\n` })
      if (how !== 'called shallow') plainGit(at.path, 'merge-base', '--is-ancestor', at.start, 'HEAD')
      expect(await gather(await enclosed(at))).toMatchObject({
        outcome: 'refused',
        why: expect.stringMatching(/^history was rewritten/),
      })
    })
  })

  describe.skipIf(isOurs)('objects that no git should ever make are refused', () => {
    const forge = (path: string, type: string, content: Buffer): string => {
      const file = folder('object')
      writeFileSync(file, content)
      return plainGit(path, 'hash-object', '-t', type, '--literally', '-w', file)
    }
    const entry = (mode: string, name: string, id: string): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])

    it.each([
      { name: 'a .git in a tree', inside: '.git' },
      { name: 'a way up', inside: '..' },
      { name: 'a .git in other letters', inside: '.GIT' },
    ])('$name', async ({ inside }) => {
      const at = await bench.workplace()
      const blob = forge(at.path, 'blob', Buffer.from('[core]\n\tfsmonitor = touch /tmp/x\n'))
      const inner = forge(at.path, 'tree', entry('100644', 'config', blob))
      const tree = forge(at.path, 'tree', entry('40000', inside, inner))
      const commit = plainGit(at.path, 'commit-tree', '-m', 'x', '-p', at.start, tree)
      plainGit(at.path, 'update-ref', 'HEAD', commit)
      const copy = folder('copy.git')
      plainGit(bench.root, 'clone', '--quiet', '--bare', at.mirror, copy)
      plainGit(copy, 'fetch', '--quiet', at.path, 'HEAD:refs/heads/stolen')
      expect(plainGit(copy, 'ls-tree', '-r', '--name-only', 'stolen')).toBe(`${inside}/config`)
      const collected = await gather(await enclosed(at))
      expect(collected).toMatchObject({
        outcome: 'refused',
        why: expect.stringMatching(/its commits are damaged|its \.git is broken/),
      })
    })

    it('a submodule whose address is an option, or a program', async () => {
      for (const url of ['--upload-pack=touch /tmp/x', 'ext::sh -c touch% /tmp/x']) {
        const at = await bench.workplace()
        commitFiles(at.path, { '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ${url}\n` })
        const collected = await gather(await enclosed(at))
        if (url.startsWith('--')) expect(collected).toMatchObject({ outcome: 'refused', why: /gitmodulesUrl/ })
        // Harmless while nobody updates submodules, which nothing of ours does; the diff shows it.
        else expect(collected).toMatchObject({ outcome: 'collected' })
      }
    })
  })

  describe.skipIf(missing)("another repository's file is not stolen", () => {
    /** A private repository of which the agent knows the newest commit, as everybody does who has seen its page. */
    function victim(): { path: string; commit: string; objects: string } {
      const path = repository({ 'secret.txt': `the secret of ${folder()}\n` }, 'private')
      return { path, commit: plainGit(path, 'rev-parse', 'HEAD'), objects: join(path, '.git/objects') }
    }

    /** A commit on top of the start whose files are the victim's; where its objects are, git has to find out. */
    function claim(at: Workplace, commit: string): void {
      const tree = plainGit(at.path, 'rev-parse', `${commit}^{tree}`)
      plainGit(at.path, 'update-ref', 'HEAD', plainGit(at.path, 'commit-tree', '-m', 'x', '-p', at.start, tree))
      plainGit(at.path, 'reset', '--quiet', '--hard', 'HEAD')
      rmSync(join(at.path, 'secret.txt'))
      plainGit(at.path, 'update-index', '--assume-unchanged', 'secret.txt')
    }

    const stolen = (place: string): boolean =>
      plainGit(place, 'cat-file', '--batch-all-objects', '--batch').includes('the secret of')

    it('by borrowing its objects', async () => {
      const at = await bench.workplace()
      const { commit, objects } = victim()
      writeFiles(at.path, { '.git/objects/info/alternates': `${at.mirror}/objects\n${objects}\n` })
      claim(at, commit)
      const copy = folder('copy.git')
      plainGit(bench.root, 'clone', '--quiet', '--bare', at.mirror, copy)
      plainGit(copy, 'fetch', '--quiet', at.path, 'HEAD:refs/heads/stolen')
      expect(stolen(copy)).toBe(true)
      const enclosing = await enclosed(at)
      expect(await gather(enclosing)).toMatchObject({
        outcome: 'refused',
        why: 'its .git borrows objects from elsewhere',
      })
      const kept = snapshot(git, { ...enclosing, message: '', author, ref: 'x' })
      await expect(kept).rejects.toMatchObject({ message: expect.stringContaining('borrows objects from elsewhere') })
      expect(stolen(at.mirror)).toBe(false)
    })

    it('by a link to its objects', async () => {
      const at = await bench.workplace()
      const { commit, objects } = victim()
      const alternates = join(at.path, '.git/objects/info/alternates')
      const before = readFileSync(alternates)
      writeFiles(at.path, { '.git/objects/info/alternates': `${at.mirror}/objects\n${objects}\n` })
      claim(at, commit)
      writeFileSync(alternates, before)
      for (const id of plainGit(
        join(objects, '..'),
        'cat-file',
        '--batch-all-objects',
        '--batch-check=%(objectname)',
      ).split('\n')) {
        const there = join(at.path, '.git/objects', id.slice(0, 2))
        mkdirSync(there, { recursive: true })
        symlinkSync(join(objects, id.slice(0, 2), id.slice(2)), join(there, id.slice(2)))
      }
      expect(stolen(at.path)).toBe(true)
      // Without walls an agent can read the file itself; with them the link leads nowhere.
      const collected = await gather(await enclosed(at))
      expect(collected.outcome).toBe(kind === 'in the box' ? 'refused' : 'collected')
      expect(stolen(at.mirror)).toBe(kind !== 'in the box')
    })

    it('by claiming to be a part of it', async () => {
      const at = await bench.workplace()
      const { path, commit } = victim()
      writeFiles(at.path, { '.git/commondir': join(path, '.git'), '.git/HEAD': 'ref: refs/heads/main\n' })
      expect(plainGit(at.path, 'rev-parse', 'HEAD')).toBe(commit)
      expect(await gather(await enclosed(at))).toMatchObject({ outcome: 'refused' })
      expect(stolen(at.mirror)).toBe(false)
    })
  })
})
