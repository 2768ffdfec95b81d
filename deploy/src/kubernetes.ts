import { type ProcessName, type ServiceName, serviceNames } from '@operon/contracts/services'
import { GatewaySettings } from '@operon/gateway/settings'
import { KitConfig } from '@operon/kit/config'
import { RateSettings } from '@operon/kit/limits'
import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import type { IJob } from 'kubernetes-models/batch/v1'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1'
import type { IConfigMap, IContainer, ISecret, IService } from 'kubernetes-models/v1'
import { stringify } from 'yaml'
import { loadDefinitions, namesIn } from './services.ts'

type Manifest = IConfigMap | ISecret | IService | IDeployment | IJob | IHorizontalPodAutoscaler | INetworkPolicy | IPodDisruptionBudget

const IMAGE = 'operon:latest'
const PORT = 8080
const METRICS_PORT = 9090
/** Settings that the image or the network decides, or that belong to one machine. */
const decided = new Set(['NODE_ENV', 'PORT', 'HOST', 'DATA_DIR', 'DATABASE_URL', 'METRICS_PORT', 'SANDBOX_KEY', 'DEMO_ACCOUNTS'])
const carriesSecrets = new Set(['BUS_URL', 'QUEUE_URL', 'CACHE_URL', 'STORAGE_URL', 'SMTP_URL', 'OTEL_EXPORTER_OTLP_HEADERS'])
export const isSecret = (name: string) =>
  name.startsWith('DATABASE_URL_') ||
  carriesSecrets.has(name) ||
  (/(_KEY|_SECRET|_TOKEN|_PASSWORD|_JWK_SET|_SECRETS)$/.test(name) && name !== 'PUBLISHABLE_KEYS')

const upper = (name: string) => name.toUpperCase().replaceAll('-', '_')
const entryOf = (name: ProcessName) => (name === 'gateway' ? 'gateway/src/main.ts' : `services/${name}/src/main.ts`)
const labelsOf = (name: string) => ({ 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'operon' })
const metaOf = (name: string, of = name) => ({ name, labels: labelsOf(of) })

/** Without the sandbox, which has no place where real people come. */
const fleet = serviceNames.filter((name) => name !== 'sandbox')
const processes: ProcessName[] = ['gateway', ...fleet]

/** Every process counts by the same limits. */
const sharedNames = [...namesIn(KitConfig), ...namesIn(RateSettings)]

type Manifests = { settings: IConfigMap[]; secrets: ISecret[]; migration: IJob; fleet: Manifest[] }

export async function manifests(): Promise<Manifests> {
  const own = await ownSettings()
  const shared = sharedNames.filter((name) => !decided.has(name))
  return {
    settings: [
      configMap('operon', {
        ...Object.fromEntries(shared.filter((name) => !isSecret(name)).map((name) => [name, ''])),
        METRICS_PORT: String(METRICS_PORT),
      }),
      ...processes.map((name) => {
        const names = own.get(name)!.filter((each) => !isSecret(each))
        const upstreams = Object.fromEntries(fleet.map((each) => [`UPSTREAM_${upper(each)}`, `http://${each}:${PORT}`]))
        return configMap(`operon-${name}`, { ...Object.fromEntries(names.map((each) => [each, ''])), ...(name === 'gateway' && upstreams) })
      }),
    ],
    secrets: [
      secret('operon', shared.filter(isSecret)),
      ...processes.map((name) =>
        secret(`operon-${name}`, [...(name === 'gateway' ? [] : [`DATABASE_URL_${upper(name)}`]), ...own.get(name)!.filter(isSecret)]),
      ),
    ],
    migration: migration(),
    fleet: [
      ...processes.flatMap((name) => [deployment(name), service(name), disruptionBudget(name), autoscaler(name)]),
      ...networkPolicies(),
    ],
  }
}

async function ownSettings(): Promise<Map<ProcessName, string[]>> {
  const shared = new Set(sharedNames)
  const without = (names: string[]) => names.filter((name) => !shared.has(name) && !decided.has(name))
  const services = (await loadDefinitions(fleet)).map(({ name, config }) => [name, without(namesIn(config))] as const)
  return new Map<ProcessName, string[]>([['gateway', without(namesIn(GatewaySettings))], ...services])
}

const configMap = (name: string, data: Record<string, string>): IConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metaOf(name),
  data,
})

const secret = (name: string, names: string[]): ISecret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metaOf(name),
  type: 'Opaque',
  stringData: Object.fromEntries(names.map((each) => [each, ''])),
})

/** A process sees the secrets that all share and its own, and nobody else's. */
const envFrom = (name: ProcessName): NonNullable<IContainer['envFrom']> => [
  { configMapRef: { name: 'operon' } },
  { configMapRef: { name: `operon-${name}` } },
  { secretRef: { name: 'operon' } },
  { secretRef: { name: `operon-${name}` } },
]

const confined: NonNullable<IContainer['securityContext']> = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  // The image's `node`: Kubernetes wants to see a number.
  runAsUser: 1000,
  runAsGroup: 1000,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}
const scratch = { volumes: ['tmp', 'data'].map((name) => ({ name, emptyDir: {} })) }
const mounts = [
  { name: 'tmp', mountPath: '/tmp' },
  { name: 'data', mountPath: '/data' },
]

function deployment(name: ProcessName): IDeployment {
  const probe = (path: string) => ({ httpGet: { path, port: 'http' } })
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metaOf(name),
    spec: {
      // The autoscaler's from then on.
      replicas: 2,
      selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: {
          labels: labelsOf(name),
          annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(METRICS_PORT), 'prometheus.io/path': '/metrics' },
        },
        spec: {
          automountServiceAccountToken: false,
          // Kubernetes would add a variable for each service of the namespace.
          enableServiceLinks: false,
          // Longer than the process takes to drain (24 s) after preStop.
          terminationGracePeriodSeconds: 35,
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: { 'app.kubernetes.io/name': name } },
            },
          ],
          containers: [
            {
              name,
              image: IMAGE,
              command: ['node', entryOf(name)],
              envFrom: envFrom(name),
              ports: [
                { name: 'http', containerPort: PORT },
                { name: 'metrics', containerPort: METRICS_PORT },
              ],
              startupProbe: { ...probe('/healthz'), periodSeconds: 2, failureThreshold: 60 },
              livenessProbe: { ...probe('/healthz'), periodSeconds: 10, timeoutSeconds: 3, failureThreshold: 6 },
              readinessProbe: {
                ...probe('/readyz'),
                periodSeconds: 5,
                timeoutSeconds: 5,
                failureThreshold: 2,
              },
              // Endpoints are told of the end at the same time as the process: callers need a moment to hear it.
              lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
              resources: { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '512Mi' } },
              securityContext: confined,
              volumeMounts: mounts,
            },
          ],
          ...scratch,
        },
      },
    },
  }
}

const service = (name: ProcessName): IService => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metaOf(name),
  spec: {
    selector: { 'app.kubernetes.io/name': name },
    // The name stands for every instance: the gateway finds them and balances by load.
    ...(name !== 'gateway' && { clusterIP: 'None' }),
    ports: [{ name: 'http', port: PORT, targetPort: 'http' }],
  },
})

const disruptionBudget = (name: ProcessName): IPodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metaOf(name),
  spec: { maxUnavailable: 1, selector: { matchLabels: { 'app.kubernetes.io/name': name } } },
})

/** More instances while each has many requests at once, or the oldest job waits: both by the adapter of `adapter.yaml`. */
function autoscaler(name: ProcessName): IHorizontalPodAutoscaler {
  const inFlight = {
    type: 'Pods',
    pods: {
      metric: { name: 'operon_requests_in_flight' },
      target: { type: 'AverageValue', averageValue: name === 'gateway' ? '200' : '50' },
    },
  }
  const lag = {
    type: 'External',
    external: {
      metric: { name: 'operon_oldest_seconds', selector: { matchLabels: { service: name, what: 'jobs' } } },
      target: { type: 'Value', value: '60' },
    },
  }
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: metaOf(name),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: 2,
      maxReplicas: 8,
      metrics: name === 'gateway' ? [inFlight] : [inFlight, lag],
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    },
  }
}

/** Nobody reaches anybody but: the world the gateway, the gateway a service, Prometheus the metrics. */
function networkPolicies(): INetworkPolicy[] {
  const ours = { matchLabels: { 'app.kubernetes.io/part-of': 'operon' } }
  const only = (name: string, podSelector: object, from: object[] | undefined, port: number): INetworkPolicy => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metaOf(name, 'operon'),
    spec: { podSelector, policyTypes: ['Ingress'], ingress: [{ ...(from && { from }), ports: [{ protocol: 'TCP', port }] }] },
  })
  const gateway = { matchLabels: { 'app.kubernetes.io/name': 'gateway' } }
  const behind = { matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: [...fleet] }] }
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: metaOf('operon-confined', 'operon'),
      spec: {
        podSelector: ours,
        policyTypes: ['Ingress', 'Egress'],
        ingress: [],
        // The stores and the providers are outside; a cloud's address for credentials is nobody's.
        egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } }, { ipBlock: { cidr: '::/0' } }] }],
      },
    },
    only('operon-gateway', gateway, undefined, PORT),
    only('operon-services', behind, [{ podSelector: gateway }], PORT),
    only(
      'operon-metrics',
      ours,
      [{ namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } } }],
      METRICS_PORT,
    ),
  ]
}

/** Each service's, side by side; services that start meanwhile wait for the same lock. */
function migration(): IJob {
  const container = (name: ServiceName): IContainer => ({
    name,
    image: IMAGE,
    command: ['node', entryOf(name), '--migrate'],
    envFrom: envFrom(name),
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    securityContext: confined,
    volumeMounts: mounts,
  })
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metaOf('operon-migrate'),
    spec: {
      backoffLimit: 3,
      ttlSecondsAfterFinished: 86_400,
      template: {
        metadata: { labels: labelsOf('operon-migrate') },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          restartPolicy: 'Never',
          containers: fleet.map(container),
          ...scratch,
        },
      },
    },
  }
}

const written = (notes: string, documents: object[]) =>
  `# Written by \`npm run generate\` from the list of services and their settings. ${notes}\n${documents.map((each) => `---\n${stringify(each)}`).join('')}`

/** Rules for prometheus-adapter, which serves the two metrics that the autoscalers read. */
const adapter = {
  rules: {
    custom: [
      {
        seriesQuery: 'operon_requests_in_flight{namespace!="",pod!=""}',
        resources: { overrides: { namespace: { resource: 'namespace' }, pod: { resource: 'pod' } } },
        metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)',
      },
    ],
    external: [
      {
        seriesQuery: 'operon_oldest_seconds{namespace!=""}',
        resources: { overrides: { namespace: { resource: 'namespace' } } },
        metricsQuery: 'max(<<.Series>>{<<.LabelMatchers>>}) by (service, what)',
      },
    ],
  },
}

export async function kubernetesFiles(): Promise<Record<string, string>> {
  const { settings, secrets, migration: job, fleet: all } = await manifests()
  return {
    'deploy/kubernetes/settings.yaml': written(
      'Copy it, fill in what you need; README.md says what each does. Empty is the default.',
      settings,
    ),
    'deploy/kubernetes/secrets.yaml': written('Copy it to where secrets are kept, fill it in there, and never commit it.', secrets),
    'deploy/kubernetes/migrate.yaml': written('Before each release.', [job]),
    'deploy/kubernetes/operon.yaml': written('Needs settings.yaml and secrets.yaml first.', all),
    'deploy/kubernetes/adapter.yaml': written('Values for prometheus-adapter, which tells the autoscalers their metrics.', [adapter]),
  }
}
