import { join } from 'node:path'

/** Returns variables that place the caches of all known tools below a directory, and their files in the checkout only. */
export const cacheEnvironment = (cache: string): Record<string, string> => ({
  npm_config_cache: join(cache, 'npm'),
  npm_config_store_dir: join(cache, 'pnpm'),
  // A link between the store and the checkout would let a check change the store.
  npm_config_package_import_method: 'copy',
  npm_config_update_notifier: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  COREPACK_HOME: join(cache, 'corepack'),
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  YARN_CACHE_FOLDER: join(cache, 'yarn'),
  YARN_GLOBAL_FOLDER: join(cache, 'yarn-global'),
  YARN_ENABLE_TELEMETRY: '0',
  PIP_CACHE_DIR: join(cache, 'pip'),
  PIP_WHEEL_DIR: join(cache, 'wheels'),
  PIP_FIND_LINKS: join(cache, 'wheels'),
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  UV_CACHE_DIR: join(cache, 'uv'),
  UV_LINK_MODE: 'copy',
  UV_PYTHON_DOWNLOADS: 'never',
})

/** Variables by which tools use their caches only, instead of waiting for a network that is not there. */
export const offlineEnvironment: Readonly<Record<string, string>> = {
  npm_config_offline: 'true',
  npm_config_fetch_retries: '0',
  YARN_ENABLE_NETWORK: '0',
  PIP_NO_INDEX: '1',
  UV_OFFLINE: '1',
}

/** Variables with which tools use a network, and their caches first. */
export const onlineEnvironment = (): Record<string, string> => ({
  npm_config_prefer_offline: 'true',
  ...certificateEnvironment(process.env),
})

/** Variables of the daemon that name certificates: some networks require those of their own, and they are no secrets. */
const certificateEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    certificateVariables.flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

const certificateVariables = [
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'NODE_EXTRA_CA_CERTS',
  'PIP_CERT',
  'REQUESTS_CA_BUNDLE',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
]
