import { composeAgency as composed } from '../../../../src/compose.ts'
import { remember } from './later.ts'

export * from '../../../../src/compose.ts'

export const composeAgency: typeof composed = (parts) => {
  remember(parts.db)
  return composed(parts)
}
