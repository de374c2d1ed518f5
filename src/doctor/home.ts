import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import type { HomePaths } from '../daemon/home.ts'
import { fail, type Finding, ok, reasonOf, warn } from './finding.ts'

export const examineHome = (paths: HomePaths): Finding[] => [
  examineDirectory(paths),
  ...examineSecrets(paths),
  examineDisk(paths.home),
]

function examineDirectory({ home }: HomePaths): Finding {
  const chooseAnother = 'Set AGENCY_HOME to a writable directory.'
  try {
    const found = statSync(home, { throwIfNoEntry: false })
    if (found === undefined) {
      accessSync(existingParent(home), constants.W_OK | constants.X_OK)
      return ok('home', `${home} (does not exist yet; created at the first start)`)
    }
    if (!found.isDirectory()) return fail('home', `${home} is not a directory`, chooseAnother)
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
    if ((found.mode & 0o077) === 0) return ok('home', home)
    return warn('home', `${home} can be read by other users`, `Run "chmod 700 ${home}".`)
  } catch (error) {
    return fail('home', `${home} is not writable: ${reasonOf(error)}`, chooseAnother)
  }
}

function examineSecrets(paths: HomePaths): Finding[] {
  return [paths.operatorToken, paths.chainKey].flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return []
    if (found.size === 0)
      return [fail('secrets', `${path} is empty`, 'Restore it from a backup, or delete it to have a new one created.')]
    return (found.mode & 0o077) === 0
      ? []
      : [warn('secrets', `${path} can be read by other users`, `Run "chmod 600 ${path}".`)]
  })
}

function examineDisk(home: string): Finding {
  try {
    const { bavail, bsize } = statfsSync(existingParent(home))
    const free = bavail * bsize
    const detail = `${(free / 1e9).toFixed(1)} GB free`
    if (free < 50e6)
      return fail('disk', `${(free / 1e6).toFixed(0)} MB free`, 'Free some space: the store cannot grow.')
    return free < 1e9 ? warn('disk', detail, 'Free some space before long runs.') : ok('disk', detail)
  } catch (error) {
    return warn('disk', reasonOf(error), 'Check the free space of the disk yourself.')
  }
}

function existingParent(path: string): string {
  let parent = path
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent)
  return parent
}
