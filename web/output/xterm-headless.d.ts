/** Its package names a module that it does not ship. */
declare module '@xterm/headless/lib-headless/xterm-headless.mjs' {
  export { type IBufferCell, Terminal } from '@xterm/headless'
}
