import { bind, type Route } from '../../operations/bind.ts'
import { documentOperations } from './contract.ts'
import type { Documents } from './service.ts'

export const documentRoutes = (documents: Documents): Route[] =>
  bind(documentOperations, {
    export: (_, { org, ...options }) => documents.export(org, options),
    validate: (_, { document }) => documents.validate(document),
    import: (by, { document, ...options }) => documents.import(by, document, options),
  })
