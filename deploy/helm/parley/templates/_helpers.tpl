{{- define "parley.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "parley.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "parley.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "parley.selector" . }}
{{- end }}

{{- define "parley.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "parley.name" .) .Values.serviceAccount.name }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{- define "parley.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}

{{/* The variables of every container. The variables of the Secret never replace them. */}}
{{- define "parley.env" -}}
envFrom:
  - secretRef:
      name: {{ .Values.secret.name }}
env:
  - name: HOST
    value: 0.0.0.0
  - name: PORT
    value: "4000"
  - name: METRICS_ADDRESS
    value: 0.0.0.0:4050
  - name: LOG_FORMAT
    value: json
  - name: PARLEY_REGION
    value: {{ .Values.region }}
  - name: BASE_URL_{{ upper .Values.region }}
    value: {{ .Values.baseUrl | quote }}
  {{- with .Values.trustedProxies }}
  - name: TRUSTED_PROXIES
    value: {{ join "," . | quote }}
  {{- end }}
  {{- range $name, $value := .Values.env }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end }}

{{- define "parley.podSecurity" -}}
automountServiceAccountToken: false
# Kubernetes creates variables such as PARLEY_PORT from the name of the Service. Parley would read them as settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 64Mi
{{- end }}

{{- define "parley.containerSecurity" -}}
image: {{ include "parley.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
{{- end }}

{{/* The common part of the pods of both Deployments. Argument: dict "root" "role" "settings". */}}
{{- define "parley.podMetadata" -}}
labels:
  {{- include "parley.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .role }}
annotations:
  {{- if not .root.Values.podMonitor.enabled }}
  prometheus.io/scrape: "true"
  prometheus.io/port: "4050"
  prometheus.io/path: /metrics
  {{- end }}
  {{- with .settings.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "parley.placing" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "parley.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
{{- with .settings.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
