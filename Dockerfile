# One image for every role: `serve --role api` (the default), `serve --role worker`, `migrate`, `backup`, `restore`.
# The image contains no PostgreSQL, so DATABASE_URL and PARLEY_SECRET are required. docs/deploying.md shows how to run it.
#
# test/faults/trials/dockerfile.test.ts reads this file, runs its steps in an empty folder and starts the result.
# For this test, each RUN is one command in WORKDIR, and no command names an absolute path.
ARG NODE=24
FROM node:${NODE}-bookworm-slim AS build
WORKDIR /parley
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

# `dist/` contains the whole program, without dependencies on packages.
FROM node:${NODE}-bookworm-slim
LABEL org.opencontainers.image.title="Parley" org.opencontainers.image.licenses="MIT"
WORKDIR /parley
# The code belongs to root and the program runs as another user, so the program cannot change its code.
COPY --from=build /parley/dist ./
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 LOG_FORMAT=json DATA_DIR=/tmp/parley
USER 1000:1000
EXPOSE 4000
STOPSIGNAL SIGTERM
# A worker listens only on METRICS_ADDRESS, so compose.yaml and the Helm chart define another health check for workers.
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "parley.js"]
CMD ["serve", "--role", "api"]
