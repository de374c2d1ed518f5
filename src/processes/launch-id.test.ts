import { expect, it } from 'vitest'

import { launchEnvironment, launchIdIn, launchIdInBlock } from './launch-id.ts'

it('hides the id of a launch from code that looks at its environment', () => {
  const hidden = launchEnvironment('att_0123456789ab.host', { isHidden: true })
  expect(JSON.stringify(hidden)).not.toMatch(/agency|att_|6174745f/i)
  expect(launchIdIn(hidden)).toBe('att_0123456789ab.host')
  expect(launchIdIn(launchEnvironment('att_1'))).toBe('att_1')
})

it('finds no id in the environment of a service of systemd, or in none', () => {
  expect(launchIdIn({ INVOCATION_ID: '0f3c1a5f6b8e4d27a1c9e0b7d2f45a61' })).toBeNull()
  expect(launchIdIn({ INVOCATION_ID: 'not hex' })).toBeNull()
  expect(launchIdIn({ INVOCATION_ID: '' })).toBeNull()
  expect(launchIdIn({})).toBeNull()
})

it('finds an id in an environment as Linux shows it', () => {
  const [[name, value]] = Object.entries(launchEnvironment('att_1', { isHidden: true })) as [[string, string]]
  expect(launchIdInBlock(`PATH=/bin\0${name}=${value}\0A=b`)).toBe('att_1')
  expect(launchIdInBlock('AGENCY_LAUNCH_ID=att_2\0PATH=/bin')).toBe('att_2')
  expect(launchIdInBlock('PATH=/bin\0XAGENCY_LAUNCH_ID=att_2')).toBeNull()
})
