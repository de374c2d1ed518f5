import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Reports whether this machine answers at an address itself. Node lists no interface without a carrier, whose addresses
 * answer all the same, and a route can make a whole network the machine's own; so the routes of the kernel decide too.
 */
export function isOwnAddress(address: string): boolean {
  if (Object.values(networkInterfaces()).some((each) => each?.some((own) => own.address === address))) return true
  return isIP(address) === 4
    ? localNetworks(read('/proc/net/fib_trie')).check(address, 'ipv4')
    : localNetworks6(read('/proc/net/ipv6_route')).check(address, 'ipv6')
}

/** Reads the text of /proc/net/fib_trie: lines with the length of a prefix and its kind follow each address. */
export function localNetworks(text: string): BlockList {
  const networks = new BlockList()
  let address = ''
  for (const [, leaf, prefix] of text.matchAll(/\|-- ([\d.]+)$|\/(\d+) \S+ LOCAL$/gm)) {
    if (leaf !== undefined) address = leaf
    else if (isIP(address) === 4) networks.addSubnet(address, Number(prefix), 'ipv4')
  }
  return networks
}

/** Reads the text of /proc/net/ipv6_route: the target and its prefix come first, the flags are the ninth word. */
export function localNetworks6(text: string): BlockList {
  const networks = new BlockList()
  for (const line of text.split('\n')) {
    const [target = '', prefix = '', , , , , , , flags = ''] = line.split(/\s+/)
    if ((Number.parseInt(flags, 16) & isLocal) === 0 || target.length !== 32) continue
    networks.addSubnet((target.match(/.{4}/g) ?? []).join(':'), Number.parseInt(prefix, 16), 'ipv6')
  }
  return networks
}

/** RTF_LOCAL and RTF_ANYCAST. */
const isLocal = 0x8010_0000

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // This system has none.
    return ''
  }
}
