/** The types of the package name a module that the package does not ship. */
declare module '@xterm/headless/lib-headless/xterm-headless.mjs' {
  export { type IBufferCell, Terminal } from '@xterm/headless'
}
