import { expect, it } from 'vitest'

import { browserName } from './browser-name.ts'

it('names browsers as people know them', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  expect(
    [
      `Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/140.0.0.0 Safari/537.36`,
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1',
      'curl/8.0',
      '',
    ].map(browserName),
  ).toEqual([
    'Chromium on Linux',
    'Edge on Windows',
    'Firefox on Linux',
    'Safari on iOS',
    'curl/8.0',
    'Unknown browser',
  ])
})
