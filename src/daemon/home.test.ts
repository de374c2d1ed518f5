import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { freshFolder } from '../../test/support/store.ts'
import { checkSocketDirectory, homePaths, prepareHome, readOrCreateSecret } from './home.ts'

const modeOf = (path: string): number => statSync(path).mode & 0o777
const longHome = (folder: string): string => join(folder, 'x'.repeat(110))

describe('the paths of a home', () => {
  it('start at ~/.agency unless AGENCY_HOME is set', () => {
    expect(homePaths({ HOME: '/home/ada' }).home).toBe('/home/ada/.agency')
    expect(homePaths({ HOME: '/home/ada', AGENCY_HOME: '' }).home).toBe('/home/ada/.agency')
    expect(homePaths({ HOME: '/home/ada', AGENCY_DATA: '' }).data).toBe('/home/ada/.agency/data')
    expect(homePaths({ HOME: '/home/ada', AGENCY_HOME: '/srv/agency/' }).store).toBe('/srv/agency/store.db')
  })

  it('are absolute in any current directory', () => {
    expect(homePaths({ AGENCY_HOME: 'here' }).home).toBe(join(process.cwd(), 'here'))
    expect(homePaths({ AGENCY_HOME: 'here', AGENCY_DATA: 'there' }).data).toBe(join(process.cwd(), 'there'))
  })

  it('have the socket in the home as long as its path is short enough for the system', () => {
    const at = (length: number): string => `/${'x'.repeat(length - '/agency.sock'.length - 1)}`
    expect(homePaths({ AGENCY_HOME: at(107) }).socket).toBe(join(at(107), 'agency.sock'))
    expect(homePaths({ AGENCY_HOME: at(107) }).socket).toHaveLength(107)
    expect(homePaths({ AGENCY_HOME: at(108) }).socket).not.toContain(at(108))
  })

  it('are measured in bytes, not characters', () => {
    expect(homePaths({ AGENCY_HOME: `/${'ü'.repeat(60)}` }).socket.length).toBeLessThanOrEqual(107)
    expect(homePaths({ AGENCY_HOME: `/${'ü'.repeat(60)}` }).socket).not.toContain('ü')
  })

  it('differ for the sockets of two long homes, and stay the same for one home', () => {
    const env = { XDG_RUNTIME_DIR: '/run/user/7' }
    const first = homePaths({ ...env, AGENCY_HOME: `/${'a'.repeat(200)}` }).socket
    expect(first).toMatch(/^\/run\/user\/7\/agency\/[0-9a-f]{24}\.sock$/)
    expect(homePaths({ ...env, AGENCY_HOME: `/${'a'.repeat(200)}` }).socket).toBe(first)
    expect(homePaths({ ...env, AGENCY_HOME: `/${'b'.repeat(200)}` }).socket).not.toBe(first)
  })

  it('avoid a runtime directory that is itself too long', () => {
    const socket = homePaths({ XDG_RUNTIME_DIR: `/${'r'.repeat(100)}`, AGENCY_HOME: `/${'a'.repeat(200)}` }).socket
    expect(socket).toMatch(/^\/tmp\/agency-\d+\//)
  })

  it('have the same socket for a home that is reached by a link', () => {
    const folder = freshFolder()
    const real = longHome(folder)
    mkdirSync(real)
    symlinkSync(real, join(folder, 'y'.repeat(111)))
    const env = { XDG_RUNTIME_DIR: folder }
    expect(homePaths({ ...env, AGENCY_HOME: join(folder, 'y'.repeat(111)) }).socket).toBe(
      homePaths({ ...env, AGENCY_HOME: real }).socket,
    )
  })
})

describe('preparing a home', () => {
  it('creates it for its owner only', () => {
    const paths = homePaths({ AGENCY_HOME: join(freshFolder(), 'a', 'b') })
    prepareHome(paths)
    for (const path of [paths.home, paths.logs, paths.workspaces, paths.attempts]) expect(modeOf(path)).toBe(0o700)
  })

  it('keeps the permissions of an existing directory', () => {
    const folder = freshFolder()
    chmodSync(folder, 0o755)
    prepareHome(homePaths({ AGENCY_HOME: folder }))
    expect(modeOf(folder)).toBe(0o755)
  })

  it('closes the directories and stores that an older version has left open', () => {
    const paths = homePaths({ AGENCY_HOME: freshFolder() })
    for (const path of [paths.logs, join(paths.home, 'mirrors')]) mkdirSync(path, { mode: 0o755 })
    const files = [paths.store, `${paths.store}-wal`, `${paths.store}-shm`, paths.owner]
    for (const path of files) writeFileSync(path, '', { mode: 0o644 })
    writeFileSync(paths.config, '', { mode: 0o644 })
    prepareHome(paths)
    expect(files.map(modeOf)).toEqual([0o600, 0o600, 0o600, 0o600])
    expect([modeOf(paths.logs), modeOf(join(paths.home, 'mirrors')), modeOf(paths.config)]).toEqual([
      0o700, 0o700, 0o644,
    ])
  })

  it('reports in one line that a file cannot be a home', () => {
    const file = join(freshFolder(), 'file')
    writeFileSync(file, '')
    expect(() => prepareHome(homePaths({ AGENCY_HOME: file }))).toThrow(
      `the home ${file} cannot be used: it is not a directory`,
    )
    const below = join(file, 'home')
    expect(() => prepareHome(homePaths({ AGENCY_HOME: below }))).toThrow(
      `the home ${below} cannot be used: it is not a directory`,
    )
  })

  it('creates a runtime directory for a long home, in which a socket can be bound', async () => {
    const folder = freshFolder()
    const paths = homePaths({ AGENCY_HOME: longHome(folder), XDG_RUNTIME_DIR: folder })
    expect(checkSocketDirectory(paths)).toBe(false)
    prepareHome(paths)
    expect(modeOf(join(folder, 'agency'))).toBe(0o700)
    expect(checkSocketDirectory(paths)).toBe(true)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(paths.socket, resolve))
    expect(readdirSync(join(folder, 'agency'))).toHaveLength(1)
    await new Promise((resolve) => server.close(resolve))
  })

  it('refuses a runtime directory that other users may access, or that is a link', () => {
    const open = freshFolder()
    mkdirSync(join(open, 'agency'))
    chmodSync(join(open, 'agency'), 0o755)
    const paths = homePaths({ AGENCY_HOME: longHome(open), XDG_RUNTIME_DIR: open })
    expect(() => prepareHome(paths)).toThrow('other users may access it')
    expect(() => checkSocketDirectory(paths)).toThrow('other users may access it')

    const linked = freshFolder()
    mkdirSync(join(linked, 'elsewhere'), { mode: 0o700 })
    symlinkSync(join(linked, 'elsewhere'), join(linked, 'agency'))
    expect(() => prepareHome(homePaths({ AGENCY_HOME: longHome(linked), XDG_RUNTIME_DIR: linked }))).toThrow(
      'it is not a directory',
    )
  })
})

describe('a secret', () => {
  it('is created once and kept, readable by its owner only', () => {
    const path = join(freshFolder(), 'operator.token')
    expect(readOrCreateSecret(path, () => 'first').toString()).toBe('first')
    expect(readOrCreateSecret(path, () => 'second').toString()).toBe('first')
    expect(modeOf(path)).toBe(0o600)
    expect(readdirSync(join(path, '..'))).toEqual(['operator.token'])
  })

  it('loses the read permission of other users', () => {
    const path = join(freshFolder(), 'chain.key')
    writeFileSync(path, 'known', { mode: 0o644 })
    expect(readOrCreateSecret(path, () => 'x').toString()).toBe('known')
    expect(modeOf(path)).toBe(0o600)
  })

  it('is never empty', () => {
    const path = join(freshFolder(), 'chain.key')
    writeFileSync(path, '')
    expect(() => readOrCreateSecret(path, () => 'x')).toThrow(`${path} is empty`)
  })

  it('is the same for many processes that create it at once', async () => {
    const folder = freshFolder()
    const path = join(folder, 'operator.token')
    const script = `import { readOrCreateSecret } from ${JSON.stringify(join(import.meta.dirname, 'home.ts'))}
process.stdin.once('data', () => process.stdout.write(readOrCreateSecret(${JSON.stringify(path)}, () => 'by ' + process.pid), () => process.exit()))
process.stdout.write('ready ')`
    const children = Array.from({ length: 6 }, () => spawn(process.execPath, ['--input-type=module', '-e', script]))
    const answers = children.map(
      (child) =>
        new Promise<string>((resolve) => {
          let text = ''
          child.stdout.on('data', (part: Buffer) => (text += part.toString()))
          child.on('close', () => resolve(text.replace('ready ', '')))
        }),
    )
    await Promise.all(children.map((child) => new Promise((resolve) => child.stdout.once('data', resolve))))
    for (const child of children) child.stdin.write('go')
    const secrets = await Promise.all(answers)
    expect(new Set(secrets)).toEqual(new Set([readFileSync(path, 'utf8')]))
    expect(secrets[0]).toMatch(/^by \d+$/)
  })
})
