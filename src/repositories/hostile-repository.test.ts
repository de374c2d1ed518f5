// @suite process

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { boxHere, createTestBox } from '../../test/support/box.ts'
import { commitFiles, createGitBench, plainGit, type Workplace, writeFiles } from '../../test/support/git-bench.ts'
import { defaultPolicy } from '../workspaces/policy.ts'
import { collect, type Collected, snapshot } from './collect.ts'

/** Clones with hostile content. Each test also shows that plain git falls for the trick, or it would prove nothing. */
const bench = createGitBench()
const { git, repository, folder, author } = bench

const kinds = [
  { kind: 'without a box', enclosed: async (at: Workplace): Promise<Workplace> => at },
  {
    kind: 'in the box',
    enclosed: async (at: Workplace): Promise<Workplace> => {
      const box = await createTestBox()
      const { path, home } = at.workspace
      const enter = box.enter({ path, home, own: [at.mirror], policy: defaultPolicy('program') })
      return { ...at, workspace: { ...at.workspace, enter, boxed: true } }
    },
  },
]

const gather = ({ mirror, workspace, start }: Workplace, ref = 'brf_1'): Promise<Collected> =>
  collect(git, { mirror, workspace, start, message: 'Uncommitted files', author, ref })

/** Creates a program that leaves a trace when it runs. */
function trap(): { program: string; sprung: () => boolean } {
  const trace = folder('trace')
  const program = folder('trap')
  writeFileSync(program, `#!/bin/sh\ntouch ${trace}\nexit 0\n`, { mode: 0o755 })
  return { program, sprung: () => existsSync(trace) }
}

/** Runs plain git; its success does not matter. */
function attempt(cwd: string, ...args: string[]): void {
  try {
    plainGit(cwd, ...args)
  } catch {
    // It failed after the trap.
  }
}

describe.each(kinds)('a hostile clone $kind', ({ kind, enclosed }) => {
  const missing = kind === 'in the box' && !boxHere.ok

  describe.skipIf(missing)('programs that a clone names', () => {
    const tricks: { name: string; set: (path: string, program: string) => void; control: string[] | null }[] = [
      {
        name: 'a file monitor',
        set: (path, program) => plainGit(path, 'config', 'core.fsmonitor', program),
        control: ['status'],
      },
      {
        name: 'a hook in the hooks directory',
        set: (path, program) => {
          mkdirSync(join(path, '.git/hooks'))
          for (const hook of ['pre-commit', 'post-commit', 'post-index-change', 'reference-transaction'])
            cpSync(program, join(path, '.git/hooks', hook))
        },
        control: ['commit', '--allow-empty', '--message', 'x'],
      },
      {
        name: 'a hook in another directory',
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
        name: 'a long-running filter, by attributes that are not committed',
        set: (path, program) => {
          writeFiles(path, { '.git/info/attributes': '* filter=trap\n' })
          plainGit(path, 'config', 'filter.trap.process', program)
          plainGit(path, 'config', 'filter.trap.required', 'true')
        },
        control: ['add', '--all'],
      },
      {
        name: 'a program named in an included file',
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

    it.each(tricks)('does not run $name', async ({ set, control }) => {
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

  describe.skipIf(missing)('the content that is collected', () => {
    it('collects changed files that the index marks as unchanged', async () => {
      const at = await bench.workplace(repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' }))
      plainGit(at.path, 'update-index', '--assume-unchanged', 'a.txt')
      plainGit(at.path, 'update-index', '--skip-worktree', 'b.txt')
      writeFiles(at.path, { 'a.txt': 'A\n', 'b.txt': 'B\n' })
      expect(plainGit(at.path, 'status', '--porcelain')).toBe('')
      expect(await gather(await enclosed(at))).toMatchObject({ files: [{ path: 'a.txt' }, { path: 'b.txt' }] })
    })

    it('collects the real content, although a filter would commit something else', async () => {
      const at = await bench.workplace()
      plainGit(at.path, 'config', 'filter.lie.clean', 'echo harmless')
      writeFiles(at.path, { '.git/info/attributes': '* filter=lie\n', 'a.txt': 'harmful\n' })
      await gather(await enclosed(at))
      expect(plainGit(at.mirror, 'show', 'refs/agency/incoming/brf_1:a.txt')).toBe('harmful')
      expect(plainGit(at.path, 'hash-object', 'a.txt')).not.toBe(
        plainGit(at.mirror, 'rev-parse', 'refs/agency/incoming/brf_1:a.txt'),
      )
    })

    it('collects despite a lock that a killed git left', async () => {
      const at = await bench.workplace()
      writeFiles(at.path, { '.git/index.lock': '', '.git/HEAD.lock': '', 'a.txt': 'a\n' })
      expect(() => plainGit(at.path, 'add', '--all')).toThrow('index.lock')
      expect(await gather(await enclosed(at))).toMatchObject({ outcome: 'collected' })
    })
  })

  // The daemon inspects this outside, so the result is the same in a box and without.
  const isOutside = kind === 'in the box'

  describe.skipIf(isOutside)('a rewritten history', () => {
    it.each(['replaced', 'grafted', 'called shallow'])('is detected if it is %s', async (how) => {
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

  describe.skipIf(isOutside)('invalid objects', () => {
    const forge = (path: string, type: string, content: Buffer): string => {
      const file = folder('object')
      writeFileSync(file, content)
      return plainGit(path, 'hash-object', '-t', type, '--literally', '-w', file)
    }
    const entry = (mode: string, name: string, id: string): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])

    it.each([
      { name: 'a .git in a tree', inside: '.git' },
      { name: 'a parent directory', inside: '..' },
      { name: 'a .git in upper case', inside: '.GIT' },
    ])('refuses $name', async ({ inside }) => {
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
        why: expect.stringMatching(/the commits are damaged|the \.git directory is broken/),
      })
    })

    it('refuses a submodule whose URL is an option, and never runs one that is a program', async () => {
      for (const url of ['--upload-pack=touch /tmp/x', 'ext::sh -c touch% /tmp/x']) {
        const at = await bench.workplace()
        commitFiles(at.path, { '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ${url}\n` })
        const collected = await gather(await enclosed(at))
        if (url.startsWith('--')) expect(collected).toMatchObject({ outcome: 'refused', why: /gitmodulesUrl/ })
        // Harmless as long as no submodule is updated, which Agency never does; the diff shows it.
        else expect(collected).toMatchObject({ outcome: 'collected' })
      }
    })
  })

  describe.skipIf(missing)('files of another repository', () => {
    /** Creates a private repository of which the agent knows the newest commit, for example from its web page. */
    function victim(): { path: string; commit: string; objects: string } {
      const path = repository({ 'secret.txt': `the secret of ${folder()}\n` }, 'private')
      return { path, commit: plainGit(path, 'rev-parse', 'HEAD'), objects: join(path, '.git/objects') }
    }

    /** Commits the victim's files on top of the start; git has to find their objects. */
    function claim(at: Workplace, commit: string): void {
      const tree = plainGit(at.path, 'rev-parse', `${commit}^{tree}`)
      plainGit(at.path, 'update-ref', 'HEAD', plainGit(at.path, 'commit-tree', '-m', 'x', '-p', at.start, tree))
      plainGit(at.path, 'reset', '--quiet', '--hard', 'HEAD')
      rmSync(join(at.path, 'secret.txt'))
      plainGit(at.path, 'update-index', '--assume-unchanged', 'secret.txt')
    }

    const stolen = (gitDir: string): boolean =>
      plainGit(gitDir, 'cat-file', '--batch-all-objects', '--batch').includes('the secret of')

    it('refuses a clone that borrows the objects of another repository', async () => {
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
        why: 'the .git directory borrows objects from elsewhere',
      })
      const kept = snapshot(git, { ...enclosing, message: '', author, ref: 'x' })
      await expect(kept).rejects.toMatchObject({ message: expect.stringContaining('borrows objects from elsewhere') })
      expect(stolen(at.mirror)).toBe(false)
    })

    it('does not follow links to objects of another repository from a box', async () => {
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
      // Without a box an agent can read the file itself; in a box the link leads nowhere.
      const collected = await gather(await enclosed(at))
      expect(collected.outcome).toBe(kind === 'in the box' ? 'refused' : 'collected')
      expect(stolen(at.mirror)).toBe(kind !== 'in the box')
    })

    it('refuses a clone that claims to be a worktree of another repository', async () => {
      const at = await bench.workplace()
      const { path, commit } = victim()
      writeFiles(at.path, { '.git/commondir': join(path, '.git'), '.git/HEAD': 'ref: refs/heads/main\n' })
      expect(plainGit(at.path, 'rev-parse', 'HEAD')).toBe(commit)
      expect(await gather(await enclosed(at))).toMatchObject({ outcome: 'refused' })
      expect(stolen(at.mirror)).toBe(false)
    })
  })
})
