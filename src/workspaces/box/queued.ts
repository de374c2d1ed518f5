import { readFile } from 'node:fs/promises'

const tables = ['tcp', 'tcp6', 'udp', 'udp6']

/** Measures the data that waits in the connections of a box: it belongs to the kernel, and to no process. */
export async function queuedMb(pid: number): Promise<number> {
  const texts = await Promise.all(tables.map((name) => readFile(`/proc/${pid}/net/${name}`, 'latin1').catch(() => '')))
  return texts.reduce((sum, text) => sum + queuedIn(text), 0) / (1024 * 1024)
}

/** Returns the bytes in the queues of a table, in which each line has those to send and those received. */
export function queuedIn(table: string): number {
  let bytes = 0
  for (const [, sent = '', received = ''] of table.matchAll(/ ([0-9A-F]{8}):([0-9A-F]{8}) \d\d:[0-9A-F]{8} /g))
    bytes += Number.parseInt(sent, 16) + Number.parseInt(received, 16)
  return bytes
}
