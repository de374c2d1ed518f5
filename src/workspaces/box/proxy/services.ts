import type { KeyedServer, WorkspacePolicy } from '../../port.ts'

/** The servers that the proxy process opens for boxes, each at the path of a socket. */
export type Service =
  | { readonly kind: 'egress'; readonly network: WorkspacePolicy['network'] }
  | { readonly kind: 'pipe'; readonly host: string; readonly port: number }
  | { readonly kind: 'door'; readonly server: KeyedServer }

/** A line of JSON to the proxy process. */
export type Order =
  { readonly open: number; readonly path: string; readonly service: Service } | { readonly close: number }

/** A line of JSON from the proxy process. */
export type Report =
  | { readonly opened: number }
  | { readonly failed: number; readonly error: string }
  | { readonly refused: number; readonly host: string; readonly why: string }
