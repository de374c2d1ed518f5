import { BlockList, isIP } from 'node:net'

import { isOwnAddress } from './own-addresses.ts'

/**
 * Reports whether an address belongs to this machine or its own network, which a box may not reach. An invalid address
 * counts as local.
 */
export function isLocalAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return true
  if (family === 4 ? ipv4.check(address, 'ipv4') : ipv6.check(address, 'ipv6')) return true
  return isOwnAddress(address)
}

/**
 * Reports whether an address is of a cloud's metadata service, which gives the credentials of the machine to whoever
 * asks.
 */
export function isMetadataAddress(address: string): boolean {
  const family = isIP(address)
  return family === 4 ? metadata4.check(address, 'ipv4') : family === 6 && metadata6.check(address, 'ipv6')
}

/** Two lists: a list with `::ffff:0:0/96` would match every IPv4 address. */
const ipv4 = new BlockList()
const ipv6 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's agent answers here: the address is public, but each virtual machine has its own.
  ['168.63.129.16', 32],
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
  ['::ffff:0:0:0', 96],
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

const metadata4 = new BlockList()
const metadata6 = new BlockList()
for (const [network, prefix] of [
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['192.0.0.192', 32],
] as const) {
  metadata4.addSubnet(network, prefix, 'ipv4')
  // The same addresses as a translator or a tunnel writes them.
  for (const before of ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'])
    metadata6.addSubnet(before + network, 96 + prefix, 'ipv6')
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number)
  const hex = (high: number, low: number): string => (high * 256 + low).toString(16)
  metadata6.addSubnet(`2002:${hex(a, b)}:${hex(c, d)}::`, 16 + prefix, 'ipv6')
}
for (const [network, prefix] of [
  ['fd00:ec2::', 32],
  ['fd20:ce::254', 128],
  ['fe80::a9fe:a9fe', 128],
] as const)
  metadata6.addSubnet(network, prefix, 'ipv6')
