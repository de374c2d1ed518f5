import { bind, type Route } from '../../operations/bind.ts'
import { chartOperations } from './contract.ts'
import type { Charts } from './service.ts'

export const chartRoutes = (charts: Charts): Route[] =>
  bind(chartOperations, {
    chart: (_, { org }) => charts.chart(org),
    tree: (_, { org, mermaid }) => charts.tree(org, mermaid),
  })
