import { networkInterfaces } from 'node:os'

import { expect, it } from 'vitest'

import { isOwnAddress, localNetworks, localNetworks6 } from './own-addresses.ts'

const routes = `Main:
  +-- 0.0.0.0/0 2 0 2
     |-- 203.0.113.0
        /24 link UNICAST
Local:
  +-- 0.0.0.0/0 2 0 2
        |-- 198.51.100.0
           /24 host LOCAL
     |-- 203.0.113.9
        /32 host LOCAL
        |-- 203.0.113.255
           /32 link BROADCAST
`

it('reads the networks of this machine from the routes of the kernel', () => {
  const own = localNetworks(routes)
  const addresses = ['203.0.113.9', '203.0.113.10', '203.0.113.255', '198.51.100.7', '198.51.101.7', '0.0.0.0']
  expect(addresses.filter((each) => own.check(each, 'ipv4'))).toEqual(['203.0.113.9', '198.51.100.7'])
})

it('reads the networks of this machine from the routes of IPv6', () => {
  const none = '00000000000000000000000000000000 00 00000000000000000000000000000000'
  const own = localNetworks6(`20010db8000000000000000000000009 80 ${none} 00000000 00000002 00000000 80200001     own
20010db8000100000000000000000000 40 ${none} 00000000 00000001 00000000 80000001       lo
20010db8000200000000000000000000 40 ${none} 00000100 00000001 00000000 00000001      eth
`)
  const addresses = ['2001:db8::9', '2001:db8::a', '2001:db8:1::5', '2001:db8:2::5']
  expect(addresses.filter((each) => own.check(each, 'ipv6'))).toEqual(['2001:db8::9', '2001:db8:1::5'])
})

it('knows the addresses of the interfaces, and no others', () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap((each) => each ?? []))
    expect(isOwnAddress(address), address).toBe(true)
  for (const address of ['8.8.8.8', '2001:4860:4860::8888']) expect(isOwnAddress(address)).toBe(false)
})
