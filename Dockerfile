# python -m build && docker build -t flopsheet . && docker run --rm -v "$PWD:/work" flopsheet plan portfolio.toml
FROM python:3.13-slim
COPY dist/*.whl /tmp/
RUN wheel=$(echo /tmp/flopsheet-*.whl) \
    && pip install --no-cache-dir --no-compile "flopsheet[sweep,yaml,mcp] @ file://$wheel" \
    && rm "$wheel" \
    && useradd --create-home planner
USER planner
WORKDIR /work
ENTRYPOINT ["flopsheet"]
CMD ["--help"]
