import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { operator } from '../../../test/support/work.ts'
import { type Daemon, startDaemon } from '../../daemon/start.ts'
import { eventTables } from '../../tables.ts'
import { replayEvents } from '../../events/replay.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { CreateMission, type Mission } from '../missions/contract.ts'

let daemon: Daemon
const home = mkdtempSync(join(tmpdir(), 'agency-workspaces-'))
beforeAll(async () => {
  daemon = await startDaemon({ env: { AGENCY_HOME: home, PATH: process.env['PATH'], AGENCY_PORT: '0' }, web: null })
})
afterAll(async () => {
  await daemon.stop()
  rmSync(home, { recursive: true, force: true })
})

/** The folder of the current test. */
let kind = ''
let tests = 0
beforeEach(() => void (kind = `coding/test${++tests}`))

const workspaces = () => daemon.agency.missionWorkspaces
const aMission = (title = 'A web app', tags: string[] = []): Promise<Mission> =>
  daemon.agency.missions.create(operator, CreateMission.parse({ title, tags }))
const make = (mission: Mission, path?: string) =>
  workspaces().create(operator, { missionId: mission.id, ...(path === undefined ? {} : { path }) })
const refused = async (work: Promise<unknown>): Promise<AgencyError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AgencyError)
  return error as AgencyError
}

describe('a mission’s workspace', () => {
  it('is a directory with its own repository, and the mission stores its path', async () => {
    const mission = await aMission()
    const made = await make(mission, `${kind}/app1`)
    expect(made).toMatchObject({
      path: `missions/${kind}/app1`,
      category: 'coding',
      status: 'active',
      busy: null,
    })
    expect(existsSync(join(made.directory, '.git'))).toBe(true)
    expect(JSON.parse(readFileSync(join(made.directory, '.agency/mission.json'), 'utf8'))).toMatchObject({
      mission_id: mission.id,
      brief: null,
    })
    expect((await daemon.agency.missions.show(mission.id)).workspacePath).toBe(`missions/${kind}/app1`)
    for (const folder of ['templates', 'configs', 'libraries'])
      expect(existsSync(join(home, 'workspaces/shared', folder))).toBe(true)
    const configuration = JSON.parse(
      readFileSync(join(home, 'workspaces/.agency-global/workspace-config.json'), 'utf8'),
    ) as object
    expect(configuration).toMatchObject({ policy: { limits: { max_processes: 10 } }, defaults: { mode: 'yolo' } })
  })

  it('gets a number if its slug is taken, and a name from its mission if none is given', async () => {
    expect((await make(await aMission(), `${kind}/app1`)).path).toBe(`missions/${kind}/app1`)
    expect((await make(await aMission(), `${kind}/app1`)).path).toBe(`missions/${kind}/app1-2`)
    expect((await make(await aMission('Über uns!', ['research']))).path).toBe('missions/research/uber-uns')
    const inside = await refused(make(await aMission(), 'research/uber-uns/inside'))
    expect(inside).toMatchObject({ code: 'conflict', message: expect.stringContaining('would be inside') })
    expect((await make(await aMission(), kind)).path).toBe(`missions/${kind}-2`)
  })

  it.each(['../x', 'coding', 'coding/../../x', '/coding/x', 'a/b/c/d', 'coding/.git', 'coding/a b', 'coding/x.home'])(
    'cannot be made at %s',
    async (path) => {
      expect((await refused(make(await aMission(), path))).code).toBe('invalid_input')
    },
  )

  it('is unique per mission, and refused for a mission that does not exist', async () => {
    const mission = await aMission()
    await make(mission)
    expect((await refused(make(mission))).code).toBe('conflict')
    expect((await refused(workspaces().show('mis_nobody'))).code).toBe('not_found')
    expect((await refused(workspaces().files((await aMission()).id, '.'))).message).toContain('has no workspace')
  })

  it('is listed with its disk use, separate from the rest of the disk', async () => {
    const made = await make(await aMission(), `${kind}/app1`)
    writeFileSync(join(made.directory, 'big.bin'), Buffer.alloc(300_000, 1))
    const { workspaces: listed } = await workspaces().list({ removed: false, limit: 100 })
    const found = listed.find(({ path }) => path === made.path)
    expect(found).toMatchObject({ disk: { isPartial: false } })
    expect(found?.disk?.bytes).toBeGreaterThan(300_000)
    const disk = await workspaces().disk()
    expect(disk.parts[0]).toMatchObject({ path: `missions/${kind}/app1` })
    expect(disk.total.bytes).toBeGreaterThanOrEqual(300_000)
    expect(disk.freeBytes).toBeGreaterThan(0)
    mkdirSync(join(disk.root, '.setup', 'shop.git', 'cache'), { recursive: true })
    expect((await workspaces().disk()).parts).toContainEqual(expect.objectContaining({ path: '.setup', files: 2 }))
  })
})

describe('files of a workspace', () => {
  it('are listed by folder, and read as text or as bytes', async () => {
    const mission = await aMission()
    const { directory } = await make(mission)
    mkdirSync(join(directory, 'src'))
    writeFileSync(join(directory, 'src/a.txt'), 'Grüße\n')
    writeFileSync(join(directory, 'b.bin'), Buffer.from([0, 1, 255]))
    const listed = await workspaces().files(mission.id, '.')
    expect(listed.entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'directory .agency',
      'directory .git',
      'directory src',
      'file b.bin',
    ])
    expect((await workspaces().files(mission.id, 'src/')).entries).toMatchObject([{ name: 'a.txt', bytes: 8 }])
    expect(await workspaces().file(mission.id, 'src/a.txt', 0)).toMatchObject({
      encoding: 'utf8',
      content: 'Grüße\n',
      bytes: 8,
      next: null,
    })
    expect(await workspaces().file(mission.id, 'b.bin', 1)).toMatchObject({ encoding: 'base64', content: 'Af8=' })
    expect((await refused(workspaces().file(mission.id, 'src', 0))).code).toBe('not_found')
    expect((await refused(workspaces().files(mission.id, 'b.bin'))).code).toBe('invalid_input')
  })

  it('are read to the end in chunks, without splitting a character', async () => {
    const mission = await aMission()
    const { directory } = await make(mission)
    const text = 'ä'.repeat(1_500_000)
    writeFileSync(join(directory, 'long.txt'), `x${text}`)
    let read = ''
    for (let from: number | null = 0; from !== null;) {
      const part: { content: string; next: number | null; encoding: string } = await workspaces().file(
        mission.id,
        'long.txt',
        from,
      )
      expect(part.encoding).toBe('utf8')
      read += part.content
      from = part.next
    }
    expect(read).toBe(`x${text}`)
  })

  it('are never files outside the workspace, neither by a path nor by a link', async () => {
    const mission = await aMission()
    const { directory } = await make(mission)
    const beside = await make(await aMission(), `${kind}/a-web-app-22`)
    symlinkSync('/etc', join(directory, 'etc'))
    symlinkSync(beside.directory, join(directory, 'beside'))
    for (const path of ['../', '/etc', 'etc', 'beside', 'a/../../x', '..'])
      expect((await refused(workspaces().files(mission.id, path))).data['reason'] ?? path).toBe('outside_workspace')
    expect((await refused(workspaces().file(mission.id, 'etc/passwd', 0))).message).toContain('outside_workspace')
  })
})

describe('access from inside a workspace', () => {
  it.each([
    ['write', 'src/a.txt', true, '{mission_id}/**'],
    ['write', '.agency/log.jsonl', false, '**/.agency/**'],
    ['write', '.agency/outbox/report.json', true, '{mission_id}/.agency/outbox/**'],
    ['write', '/etc/x', false, '/etc/**'],
    ['write', '../app2/x', false, 'outside_workspace'],
    ['write', 'link/x', false, '/etc/**'],
    ['read', '/etc/passwd', false, 'outside_workspace'],
    ['read', '../../../../shared/templates/a', true, 'shared/**'],
  ] as const)('%s %s: %s', async (access, path, allowed, rule) => {
    const mission = await aMission()
    const { directory } = await make(mission, `${kind}/app1`)
    symlinkSync('/etc', join(directory, 'link'))
    expect(await workspaces().check({ missionId: mission.id, access, path })).toMatchObject({ allowed, rule })
  })
})

describe('a workspace that is removed', () => {
  it('keeps its mission and its log, and frees its name', async () => {
    const mission = await aMission()
    const { directory } = await make(mission, `${kind}/app1`)
    writeFileSync(join(directory, '.agency/log.jsonl'), '{"prompt":"x"}\n')
    const { workspace } = await workspaces().remove(operator, mission.id)
    expect(workspace).toMatchObject({ status: 'removed', log: '{"prompt":"x"}\n' })
    expect(existsSync(directory)).toBe(false)
    expect(existsSync(`${directory}.home`)).toBe(false)
    expect(await daemon.agency.missions.show(mission.id)).toMatchObject({ status: 'backlog', workspacePath: null })
    expect(await workspaces().show(mission.id)).toMatchObject({ status: 'removed', disk: null })
    expect((await make(mission, `${kind}/app1`)).path).toBe(`missions/${kind}/app1`)
    expect((await replayEvents(daemon.db, eventTables)).differences).toEqual([])
  })

  it('can be removed after its directory was deleted', async () => {
    const mission = await aMission()
    const { directory } = await make(mission)
    rmSync(directory, { recursive: true })
    expect((await workspaces().remove(operator, mission.id)).workspace.status).toBe('removed')
  })
})
