import { join } from 'node:path'

import { checkPath, defaultPathRules, defaultPolicy, type PathDecision } from '../../workspaces/policy.ts'
import type { WorkspaceRules } from './contract.ts'

/** Returns the rules of a new workspace. Limits are those of a program; a coding agent gets more processes. */
export function defaultRules(): WorkspaceRules {
  const { network, limits } = defaultPolicy('program')
  const { allowedWritePaths, allowedReadPaths, forbiddenPaths } = defaultPathRules
  return {
    allowedWritePaths: [...allowedWritePaths],
    allowedReadPaths: [...allowedReadPaths],
    forbiddenPaths: [...forbiddenPaths],
    network: { allowed: network.allowed, allow: [...network.allow], block: [...network.block] },
    limits: { ...limits, maxRuntimeMinutes: 30 },
  }
}

export const decideAccess = (
  rules: WorkspaceRules,
  { root, workspace }: { root: string; workspace: string },
  access: 'write' | 'read',
  path: string,
): Promise<PathDecision> => checkPath(rules, { access, path, root, workspace: join(root, workspace) })
