import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Addresses behind which something of this machine or of its own network may listen: nothing that a box may reach. */
export function isLocalAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return true
  if (family === 4 ? older.check(address, 'ipv4') : newer.check(address, 'ipv6')) return true
  return Object.values(networkInterfaces()).some((each) => each?.some((own) => own.address === address))
}

/** Two lists: one that holds `::ffff:0:0/96` takes every address of the older kind for one of its own. */
const older = new BlockList()
const newer = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  older.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  // Unspecified, loopback, and everything that carries an address of the old kind inside it.
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  newer.addSubnet(network, prefix, 'ipv6')
