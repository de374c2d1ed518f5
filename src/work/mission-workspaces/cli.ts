import type { workspaceCatCommand } from '../../cli/commands/workspace/cat.ts'
import type { workspaceCheckCommand } from '../../cli/commands/workspace/check.ts'
import type { workspaceCreateCommand } from '../../cli/commands/workspace/create.ts'
import type { workspaceDiskCommand } from '../../cli/commands/workspace/disk.ts'
import type { workspaceListCommand } from '../../cli/commands/workspace/list.ts'
import type { workspaceLsCommand } from '../../cli/commands/workspace/ls.ts'
import type { workspaceRmCommand } from '../../cli/commands/workspace/rm.ts'
import type { workspaceShowCommand } from '../../cli/commands/workspace/show.ts'
import type { Handler } from '../../cli/declare.ts'
import { ago, bold, bytesText, plain, statusText, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import { organisationId } from '../../org/organisations/cli/number.ts'
import type { FileEntry, MissionWorkspace, WorkspaceView } from './contract.ts'
import { workspaceEndpoints } from './endpoints.ts'

type WorkspaceLine = Wire<WorkspaceView>

/** Creates a workspace and prints its directory alone on standard output, so that a script can read it. */
export const createWorkspace: Handler<typeof workspaceCreateCommand> = async (context, mission, options) => {
  const repo = options.repo === undefined ? undefined : (await import('node:path')).resolve(options.repo)
  const made = await context
    .api()
    .call<WorkspaceLine>(workspaceEndpoints.create, { mission_id: mission, path: options.path, repo })
  if (options.json) context.json(made)
  else context.out(made.directory)
  return 0
}

export const listWorkspaces: Handler<typeof workspaceListCommand> = async (context, options) => {
  const answer = await context.api().call<{ root: string; workspaces: WorkspaceLine[] }>(workspaceEndpoints.list, {
    removed: options.all === true ? 'true' : undefined,
    organisation_id: await organisationId(context, options.org),
  })
  if (options.json) {
    context.json(answer)
    return 0
  }
  if (answer.workspaces.length === 0) {
    context.out('no workspaces yet; "agency workspace create <mission>" creates one')
    return 0
  }
  const rows = answer.workspaces.map((each) => [
    each.mission_id,
    statusText(context, each.busy === null ? each.status : 'working'),
    diskText(each.disk),
    ago(each.created_at, context.nowMs()),
    plain(each.path),
  ])
  const columns = [
    { title: 'MISSION' },
    { title: 'STATUS' },
    { title: 'DISK', right: true },
    { title: 'CREATED', right: true },
    { title: 'PATH', flexible: true },
  ] as const
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

export const showWorkspace: Handler<typeof workspaceShowCommand> = async (context, mission, options) => {
  const shown = await context.api().call<WorkspaceLine>(workspaceEndpoints.show, { mission_id: mission })
  if (options.json) {
    context.json(shown)
    return 0
  }
  const { policy } = shown
  context.out([bold(context, plain(shown.path)), statusText(context, shown.status), diskText(shown.disk)].join('  '))
  for (const [name, value] of [
    ['directory', shown.directory],
    ['mission', shown.mission_id],
    ['clone of', shown.repository === null ? '' : `${shown.repository.path} at ${shown.repository.base.slice(0, 12)}`],
    ['works there', shown.busy ?? ''],
    ['may write', policy.allowed_write_paths.join(', ')],
    ['may read', policy.allowed_read_paths.join(', ')],
    ['never writes', policy.forbidden_paths.join(', ')],
    ['network', policy.network.allowed ? networkText(policy.network) : 'none'],
    [
      'limits',
      `${policy.limits.max_processes} processes, ${policy.limits.max_memory_mb} MB memory, ${policy.limits.max_disk_mb} MB disk, ${policy.limits.max_runtime_minutes} minutes`,
    ],
  ] as const)
    if (value !== '') context.out(`${name.padEnd(12)} ${plain(value)}`)
  return 0
}

export const listFiles: Handler<typeof workspaceLsCommand> = async (context, mission, path, options) => {
  const answer = await context
    .api()
    .call<{ path: string; entries: Wire<FileEntry>[]; is_partial: boolean }>(workspaceEndpoints.files, {
      mission_id: mission,
      path,
    })
  if (options.json) {
    context.json(answer)
    return 0
  }
  for (const { name, kind, bytes } of answer.entries) {
    const size = kind === 'file' ? bytesText(bytes) : kind === 'directory' ? '' : kind
    context.out(
      context.isTty
        ? `${size.padStart(10)}  ${plain(name)}${kind === 'directory' ? '/' : ''}`
        : `${plain(name)}${kind === 'directory' ? '/' : ''}`,
    )
  }
  if (answer.is_partial) context.err('the folder has more than 5,000 entries; the rest is left out')
  return 0
}

interface Part {
  encoding: 'utf8' | 'base64'
  content: string
  next: number | null
}

/** Prints a file unchanged, part by part. */
export const printFile: Handler<typeof workspaceCatCommand> = async (context, mission, file) => {
  for (let from: number | null = 0; from !== null;) {
    const part: Part = await context
      .api()
      .call<Part>(workspaceEndpoints.file, { mission_id: mission, path: file, from })
    if (part.encoding === 'utf8') context.text(part.content)
    else if (context.isTty)
      throw refusal('invalid_input', `"${file}" is not text`, { hint: 'Redirect it to a file with ">".' })
    else process.stdout.write(Buffer.from(part.content, 'base64'))
    from = part.next
  }
  return 0
}

export const checkAccess: Handler<typeof workspaceCheckCommand> = async (context, mission, options) => {
  const [access, path] = options.write === undefined ? ['read', options.read] : ['write', options.write]
  const answer = await context.api().call<{ allowed: boolean; rule: string; path: string }>(workspaceEndpoints.check, {
    mission_id: mission,
    access,
    path,
  })
  if (options.json) context.json(answer)
  else context.out(`${answer.allowed ? 'allowed' : 'denied'} by ${answer.rule}: ${access} ${plain(answer.path)}`)
  return answer.allowed ? 0 : 1
}

export const removeWorkspace: Handler<typeof workspaceRmCommand> = async (context, mission, options) => {
  const answer = await context
    .api()
    .call<{ workspace: Wire<MissionWorkspace>; snapshot: string | null }>(workspaceEndpoints.remove, {
      mission_id: mission,
      force: options.force,
    })
  if (options.json) {
    context.json(answer)
    return 0
  }
  context.out(`${plain(answer.workspace.path)} removed`)
  if (answer.snapshot !== null) context.out(`unmerged work is kept at ${plain(answer.snapshot)}`)
  return 0
}

export const showDisk: Handler<typeof workspaceDiskCommand> = async (context, options) => {
  const answer = await context.api().call<{
    root: string
    free_bytes: number
    parts: { path: string; bytes: number; files: number; is_partial: boolean }[]
    total: { bytes: number; files: number; is_partial: boolean }
  }>(workspaceEndpoints.disk)
  if (options.json) {
    context.json(answer)
    return 0
  }
  for (const part of answer.parts)
    context.out([diskText(part).padStart(10), plain(part.path), partTexts[part.path] ?? ''].join('  ').trimEnd())
  context.out(
    `${diskText(answer.total).padStart(10)}  in ${plain(answer.root)}, ${bytesText(answer.free_bytes)} free on its disk`,
  )
  return 0
}

/** Explanations of directories that no mission and no brief owns. */
const partTexts: Readonly<Record<string, string>> = {
  '.trees': 'fresh checkouts; each is removed after its checks',
  '.setup': 'packages and results of setups; removed after 14 days without use',
}

const diskText = (use: { bytes: number; is_partial: boolean } | null): string =>
  use === null ? '-' : `${use.is_partial ? '>' : ''}${bytesText(use.bytes)}`

const networkText = ({ allow, block }: { allow: string[]; block: string[] }): string =>
  [
    allow.length === 0 ? 'everywhere' : `only ${allow.join(', ')}`,
    ...(block.length === 0 ? [] : [`not ${block.join(', ')}`]),
  ].join(', ')
