// What can be done with resources: the verbs of the API, answered from the store.
#pragma once

#include "base/clock.h"
#include "localcluster/apiserver/account_tokens.h"
#include "localcluster/apiserver/certificate.h"
#include "localcluster/apiserver/list_snapshots.h"
#include "localcluster/apiserver/recent_texts.h"
#include "localcluster/apiserver/resource_call.h"
#include "localcluster/http/http_message.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

// Thread safe. Store and clock must outlive it and the streams of its answers.
class ResourceApi {
 public:
  ResourceApi(Store& store, const Clock& clock) : store_(store), clock_(clock), tokens_(MakeToken()) {}

  // The answer to a request whose path names a resource.
  HttpResponse Answer(const HttpRequest& http, const RequestInfo& info);
  // Whether it is one that a ServiceAccount was given.
  bool KnowsToken(std::string_view token) const { return tokens_.Knows(token, clock_.Now()); }

 private:
  using Answered = kube::ApiResult<HttpResponse>;

  Answered Dispatch(const HttpRequest& http, const RequestInfo& info);
  Answered AnswerCall(const ResourceCall& call);
  Answered AnswerVerb(const ResourceCall& call);

  // read_verbs.cc
  Answered Get(const ResourceCall& call);
  Answered List(const ResourceCall& call);
  Answered Watch(const ResourceCall& call);

  // write_verbs.cc
  Answered Create(const ResourceCall& call);
  Answered Update(const ResourceCall& call, kube::Subresource subresource);
  Answered Patch(const ResourceCall& call, kube::Subresource subresource);
  Answered Apply(const ResourceCall& call, kube::Subresource subresource);

  // delete_verbs.cc
  Answered Delete(const ResourceCall& call);
  Answered DeleteCollection(const ResourceCall& call);

  // subresources.cc
  Answered AnswerSubresource(const ResourceCall& call);
  Answered Scale(const ResourceCall& call);
  Answered Bind(const ResourceCall& call);
  Answered Evict(const ResourceCall& call);
  Answered Finalize(const ResourceCall& call);
  Answered RequestToken(const ResourceCall& call);
  Answered Log(const ResourceCall& call);

  Answered Written(const ResourceCall& call, int status, const Json& object) const;
  // Of a write that is no apply. `call` must outlive the result.
  kube::ApiResult<WriteOptions> WriteOptionsOf(const ResourceCall& call) const;

  Store& store_;
  const Clock& clock_;
  ListSnapshots snapshots_;
  RecentTexts texts_;
  AccountTokens tokens_;
};

}  // namespace kumiko::localcluster
