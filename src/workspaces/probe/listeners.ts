import { readdir, readFile, readlink } from 'node:fs/promises'

import { findSurvivors } from '../../processes/survivors.ts'

/** Reports whether all listeners on the port carry this launch id; true if the system does not list them. */
export async function isOwnListener(port: number, launchId: string): Promise<boolean> {
  const listening = await listeningSockets(port)
  if (listening === null) return true
  const ours = new Set<string>()
  for (const { pid } of (await findSurvivors()).filter((each) => each.launchId === launchId))
    for (const socket of await socketsOf(pid)) ours.add(socket)
  return listening.every((socket) => ours.has(socket))
}

/** Returns the inodes of the sockets that listen on the port, as /proc/net/tcp lists them. */
async function listeningSockets(port: number): Promise<string[] | null> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')))
  if (tables.every((table) => table === '')) return null
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return tables
    .join('\n')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(ending) && fields[3] === '0A')
    .map((fields) => fields[9] as string)
}

async function socketsOf(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')))
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}
