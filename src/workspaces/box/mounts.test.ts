import { expect, it } from 'vitest'

import { namesOf, readMounts } from './mounts.ts'

const line = (device: string, root: string, path: string): string =>
  `36 35 ${device} ${root} ${path} rw,noatime master:1 - ext4 /dev/root rw,errors=continue`

const mounts = readMounts(
  [
    line('8:1', '/', '/'),
    line('8:2', '/', '/data'),
    line('8:2', '/home', '/people'),
    line('8:2', '/home/ann/.agency/data', '/srv/a\\040store'),
    line('8:3', '/home', '/other'),
  ].join('\n'),
)

it('finds a directory by every mount that shows it or a part of it', () => {
  expect(namesOf('/people/ann/.agency', mounts)).toEqual([
    '/people/ann/.agency',
    '/data/home/ann/.agency',
    '/srv/a store',
  ])
})

it('finds a directory that is mounted nowhere else by its own path', () => {
  expect(namesOf('/no-such-directory/x', mounts)).toEqual(['/no-such-directory/x'])
})

it('reads the type and the options of a mount', () => {
  expect(mounts[0]).toMatchObject({ type: 'ext4', options: ['rw', 'errors=continue'] })
})
