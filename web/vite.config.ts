import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig, type ProxyOptions } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react()],
  // Markdown is parsed in a worker, which has no document; the form of this package for browsers needs one.
  resolve: {
    alias: {
      'decode-named-character-reference': fileURLToPath(import.meta.resolve('decode-named-character-reference')),
    },
  },
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    // The daemon's Content-Security-Policy allows scripts, styles and images from its own files only: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `AGENCY_ADDRESS=http://127.0.0.1:7717 npx vite web` shows changes at once and proxies requests to a running daemon.
  server: { proxy: proxied(process.env['AGENCY_ADDRESS']) },
})

function proxied(address: string | undefined): Record<string, ProxyOptions> {
  if (address === undefined) return {}
  // The daemon refuses changes by pages of another origin.
  const target = { target: address, changeOrigin: true, headers: { origin: new URL(address).origin } }
  const bypass: ProxyOptions['bypass'] = ({ method }) => (method === 'GET' ? '/index.html' : undefined)
  return { '/api': target, '/enter': { ...target, bypass } }
}
