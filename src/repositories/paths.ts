import { agencyDirectory } from '../workspaces/path.ts'

/**
 * Reports whether a path of a commit is Agency's own; some file systems do not distinguish `.Agency` from `.agency`.
 */
export const isAgencyPath = (path: string): boolean => path.split('/', 1)[0]?.toLowerCase() === agencyDirectory
