import { bind, type Route } from '../../operations/bind.ts'
import { documentOperations } from './contract.ts'
import type { Documents } from './service.ts'

export const documentRoutes = (documents: Documents): Route[] =>
  bind(documentOperations, {
    export: (_, { org, ...options }) => documents.export(org, options),
    validate: (by, { document }) => documents.validate(by, document),
    import: (by, { document, ...options }) => documents.import(by, document, options),
  })
