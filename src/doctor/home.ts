import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { HomePaths } from '../daemon/home.ts'
import { diskUseOf } from '../workspaces/box/disk.ts'
import { checkoutsDirectory } from '../workspaces/checkout.ts'
import { setupDirectory } from '../workspaces/setup/setups.ts'
import { fail, type Finding, ok, reasonOf, warn } from './finding.ts'

/** Reports which users may enter the home and read its secrets. */
export const examineHomeAccess = (paths: HomePaths): Finding[] => [examineDirectory(paths), ...examineSecrets(paths)]

export const examineHome = async (paths: HomePaths): Promise<Finding[]> => [
  ...examineHomeAccess(paths),
  examineDisk(paths.home),
  await examineCheckouts(paths.workspaces),
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
    if ((found.mode & 0o077) === 0) return ok('home', `${home}, closed to other users`)
    return warn('home', `other users may enter ${home}`, `Run "chmod 700 ${home}".`)
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

async function examineCheckouts(workspaces: string): Promise<Finding> {
  const use = async (name: string): Promise<string> => {
    const megabytes = await diskUseOf([join(workspaces, name)])
    return megabytes < 1_000 ? `${Math.ceil(megabytes)} MB` : `${(megabytes / 1_000).toFixed(1)} GB`
  }
  const [checkouts, setups] = [await use(checkoutsDirectory), await use(setupDirectory)]
  return ok('checkouts', `${checkouts} in fresh checkouts, ${setups} in packages and results of setups`)
}

function existingParent(path: string): string {
  let parent = path
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent)
  return parent
}
