import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Reports whether an address belongs to this machine or its own network, which a box may not reach. An invalid address
 * counts as local.
 */
export function isLocalAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return true
  if (family === 4 ? ipv4.check(address, 'ipv4') : ipv6.check(address, 'ipv6')) return true
  return Object.values(networkInterfaces()).some((each) => each?.some((own) => own.address === address))
}

/** Two lists: a list with `::ffff:0:0/96` would match every IPv4 address. */
const ipv4 = new BlockList()
const ipv6 = new BlockList()
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
  ipv4.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  // Unspecified, loopback, and all ranges that embed an IPv4 address.
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
  ipv6.addSubnet(network, prefix, 'ipv6')
