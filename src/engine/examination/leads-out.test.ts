import { describe, expect, it } from 'vitest'

import { leadsOut, oddSubmodules } from './leads-out.ts'

describe('a link', () => {
  it.each([
    ['a', '/etc/passwd'],
    ['deep/er/a', '/'],
    ['a', '..'],
    ['a', '../other'],
    ['deep/a', '../../other'],
    ['a', 'C:\\Users'],
    ['a', '.git/config'],
    ['deep/a', '../.GIT/hooks/x'],
    // The directory `deep` may itself be a link to another place.
    ['a', 'deep/../x'],
    ['a', './deep/../../x'],
  ])('at %s to %s is shown', (path, target) => {
    expect(leadsOut(path, target)).toMatch(/^leads to "/)
  })

  it.each([
    ['a', 'b'],
    ['deep/a', '../b'],
    ['deep/er/a', '../../b/c'],
    ['a', './b//c'],
    ['a', '.github/x'],
    ['a', '..b/c'],
  ])('at %s to %s stays inside', (path, target) => {
    expect(leadsOut(path, target)).toBeNull()
  })
})

describe('a submodule', () => {
  it.each([
    ['url = ext::sh -c "touch /tmp/x"', /^url "ext::.*runs a program$/],
    ['url = file:///home/ada/private', /reads files/],
    ['url = /home/ada/private', /reads files/],
    ['url = "-u./run.sh"', /as an option$/],
    ['url = ssh://-oProxyCommand=run/x', /an option$/],
    ['url = gcrypt::x', /helper program/],
    ['path = ../../etc', /leads out/],
    ['path = -x', /as an option$/],
    ['path = a/.git/hooks', /leads out/],
    ['update = !rm -rf .', /runs a command$/],
    ['[submodule "x"] url = ext::x', /runs a program$/],
    // Other spellings that mean the same to git.
    ['[submodule "x]y"] url = ext::x', /runs a program$/],
    ['[submodule "x\\"]y"] url = ext::x', /runs a program$/],
    ['url = "ex"t::x', /^url "ext::x" runs a program$/],
    ['url = ext::x # harmless', /^url "ext::x" runs a program$/],
    ['update = \\\n!run', /^update "!run" runs a command$/],
    ['# harmless \\\n update = !run', /^update "!run" runs a command$/],
  ])('with %s is shown', (line, text) => {
    expect(oddSubmodules(`[submodule "x"]\n\t${line}\n`)).toEqual([expect.stringMatching(text)])
  })

  it.each([
    ['spaces in a value', `url = a${' '.repeat(200_000)}b`],
    ['quotes', `url = ${'"'.repeat(200_001)}`],
    ['backslashes', `update = ${'\\'.repeat(200_001)}`],
    ['quoted names', `[${'"a"'.repeat(70_000)}`],
    ['odd addresses', 'url = ext::x\n'.repeat(15_000)],
  ])('with many %s is read in time', (_, text) => {
    const began = performance.now()
    oddSubmodules(text)
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it('with more settings than can be looked at is shown', () => {
    for (const text of ['\n'.repeat(300_000), null])
      expect(oddSubmodules(text)).toEqual(['the settings are too long to be looked at'])
  })

  it('of an ordinary address is not odd', () => {
    const addresses = [
      'https://example.org/lib.git',
      'git@example.org:lib/lib.git',
      '../lib.git',
      'ssh://git@example.org/a',
    ]
    const text = addresses
      .map((url) => `[submodule "x"]\n\tpath = vendor/lib\n\turl = ${url}\n\tupdate = rebase\n`)
      .join('')
    expect(oddSubmodules(text)).toEqual([])
  })
})
