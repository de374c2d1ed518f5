import { bind, type Route } from '../../operations/bind.ts'
import { trustedFileOperations } from './contract.ts'
import type { TrustedFiles } from './service.ts'

export const trustedFileRoutes = (files: TrustedFiles): Route[] =>
  bind(trustedFileOperations, {
    list: async () => ({ files: await files.list() }),
    review: (_, { text, name }) => files.review(text, name),
    trust: (by, input) => files.trust(by, input),
    revoke: async (by, input) => ({ files: await files.revoke(by, input) }),
  })
